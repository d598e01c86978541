/// `aps.event` of a Live Activity's push.
public enum LiveActivityEvent: String, Codable, Sendable, CaseIterable { case start, update, end }
