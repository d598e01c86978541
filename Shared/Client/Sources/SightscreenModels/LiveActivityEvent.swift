/// The values of `aps.event` in a push for a Live Activity.
public enum LiveActivityEvent: String, Codable, Sendable, CaseIterable { case start, update, end }
