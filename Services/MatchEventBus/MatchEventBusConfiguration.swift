public import Detection
public import ServiceKit

/// The settings of event-bus, read once at start.
public struct MatchEventBusConfiguration: Sendable {
    public var database: DatabaseSetting
    public var instance: String
    public var runDirectory: String
    public var timing: MatchTiming
    public var leaseDuration: Duration

    /// - Throws: `ConfigurationError` that names the setting.
    public init(_ settings: Settings) throws {
        database = try settings.database()
        instance = settings.instance
        runDirectory = settings.runDirectory
        timing = MatchTiming(
            resultHold: try settings.duration("RESULT_HOLD").milliseconds,
            superOverWait: try settings.duration("SUPER_OVER_WAIT").milliseconds,
            keepAlive: try settings.duration("KEEPALIVE_INTERVAL").milliseconds,
            silenceAfter: try settings.duration("SILENCE_AFTER").milliseconds,
            alertFreshness: try settings.duration("ALERT_FRESHNESS").milliseconds)
        leaseDuration = try settings.duration("LEASE_DURATION")
    }

    /// The service's settings, each declared here or in `Setting`.
    public static let service = ServiceDescription(
        name: "event-bus", summary: "Judges score frames and commits what they change.",
        settings: [
            .resultHold,
            Setting(
                "SUPER_OVER_WAIT", default: .seconds(1_200), in: .zero ... .hours(24),
                help: "How long a limited-overs tie waits for a super over."),
            Setting(
                "SILENCE_AFTER", default: .seconds(7_200), in: .seconds(60) ... .hours(24),
                help: "How long the provider may repeat a match in play without a change before it is ended."),
            .keepAliveInterval, .alertFreshness, .leaseDuration,
        ], healthPort: 8094)
}
