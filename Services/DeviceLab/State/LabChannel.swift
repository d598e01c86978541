public import SightscreenModels

/// A broadcast channel of a match: one publish reaches every card that listens to it.
public struct LabChannel: Codable, Hashable, Sendable {
    public enum State: String, Codable, Sendable {
        /// APNs is asked to make it.
        case asked
        case open
        /// The match is over, or at stumps: only the end is published.
        case ending
        /// APNs no longer has it, or never had it.
        case lost
    }

    /// APNs' name for it; nil until it is made.
    public var id: ChannelID?
    /// The alert level of the followers whom it is for.
    public var alerts: AlertLevel
    public var generation: Int
    public var state: State
    /// The phones here whose card listens to it.
    public var listeners = 0
    /// The publishes that APNs has accepted, and those of the last minute; nil where APNs has no such channel.
    public var publishes: Int?
    public var lastMinute: Int?
    /// The most that are published in a minute.
    public var perMinuteMax: Int
    /// Until when nothing but an alert is published, in milliseconds since 1970; nil when it does not rest.
    public var restsUntilMs: Int64?

    package init(
        id: ChannelID? = nil, alerts: AlertLevel, generation: Int = 1, state: State, publishes: Int? = nil,
        lastMinute: Int? = nil, perMinuteMax: Int = 12, restsUntilMs: Int64? = nil
    ) {
        self.id = id
        self.alerts = alerts
        self.generation = generation
        self.state = state
        self.publishes = publishes
        self.lastMinute = lastMinute
        self.perMinuteMax = perMinuteMax
        self.restsUntilMs = restsUntilMs
    }
}
