public import Detection
public import ServiceKit

/// What an operator can set, read once at start.
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
            resultHold: try settings.duration("RESULT_HOLD", default: .seconds(300), in: .zero ... .hours(24))
                .milliseconds,
            superOverWait: try settings.duration("SUPER_OVER_WAIT", default: .seconds(1_200), in: .zero ... .hours(24))
                .milliseconds,
            keepAlive: try settings.duration(
                "KEEPALIVE_INTERVAL", default: .seconds(1_200), in: .seconds(1) ... .hours(24)
            ).milliseconds,
            alertFreshness: try settings.duration(
                "ALERT_FRESHNESS", default: .seconds(30), in: .seconds(1) ... .hours(1)
            ).milliseconds)
        leaseDuration = try settings.duration("LEASE_DURATION", default: .seconds(8), in: .seconds(1) ... .hours(1))
    }

    /// For `--help`, and to refuse a flag that nobody reads.
    public static let service = ServiceDescription(
        name: "event-bus", summary: "Judges score frames and commits what they change.",
        settings: [
            SettingDescription(
                name: "RESULT_HOLD", default: "5m", help: "How long an unclear result waits before the runs decide."),
            SettingDescription(
                name: "SUPER_OVER_WAIT", default: "20m", help: "How long a limited-overs tie waits for a super over."),
            SettingDescription(
                name: "KEEPALIVE_INTERVAL", default: "20m", help: "The longest time in play without a new version."),
            SettingDescription(name: "ALERT_FRESHNESS", default: "30s", help: "An older event alerts nobody."),
            SettingDescription(name: "LEASE_DURATION", default: "8s", help: "How long a lease on a match lasts."),
        ], healthPort: 8094)
}
