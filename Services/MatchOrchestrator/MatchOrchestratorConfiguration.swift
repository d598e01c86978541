public import ServiceKit

/// What an operator can set, read once at start.
public struct MatchOrchestratorConfiguration: Sendable {
    public var database: DatabaseSetting
    public var instance: String
    public var runDirectory: String
    public var providerURL: ServiceURL
    public var providerToken: Secret
    /// Plain http is allowed: only with the stand-ins.
    public var allowsHTTP: Bool
    /// Calls of `/fixtures` an hour that the provider allows; 0: no limit.
    public var hourlyLimit: Int
    public var interval: Duration
    public var startLead: Duration
    public var fallbackWait: Duration
    public var renewAfter: Duration
    public var resultHold: Duration
    public var followRetention: Duration
    public var leaseDuration: Duration

    /// - Throws: `ConfigurationError` that names the setting.
    public init(_ settings: Settings) throws {
        database = try settings.database()
        instance = settings.instance
        runDirectory = settings.runDirectory
        providerURL = try settings.url("SPORTMONKS_URL", default: "https://cricket.sportmonks.com/api/v2.0")
        providerToken = try settings.tokenSecret("SPORTMONKS_API_TOKEN")
        allowsHTTP = try settings.standIns
        hourlyLimit = try settings.int("SPORTMONKS_HOURLY_LIMIT", default: 2_000, in: 0...1_000_000)
        interval = try settings.duration(
            "ORCHESTRATOR_INTERVAL", default: .seconds(30), in: .milliseconds(100) ... .hours(1))
        startLead = try settings.duration("START_LEAD", default: .zero, in: .zero ... .hours(6))
        fallbackWait = try settings.duration(
            "START_FALLBACK_WAIT", default: .seconds(120), in: .seconds(1) ... .hours(24))
        renewAfter = try settings.duration(
            "ACTIVITY_RENEW_AFTER", default: .seconds(7 * 3_600 + 45 * 60), in: .seconds(1) ... .hours(8))
        resultHold = try settings.duration("RESULT_HOLD", default: .seconds(300), in: .zero ... .hours(24))
        followRetention = try settings.duration(
            "FOLLOW_RETENTION", default: .hours(48), in: .seconds(1) ... .hours(24 * 365))
        leaseDuration = try settings.duration("LEASE_DURATION", default: .seconds(8), in: .seconds(1) ... .hours(1))
    }

    /// Drives `--help` and the flags.
    public static let service = ServiceDescription(
        name: "orchestrator",
        summary: "syncs the schedule, starts what live matches lack, ends what is over, removes what has expired.",
        settings: [
            SettingDescription(
                name: "SPORTMONKS_API_TOKEN", default: nil, help: "The provider's token.", isSecret: true),
            SettingDescription(
                name: "SPORTMONKS_URL", default: "https://cricket.sportmonks.com/api/v2.0",
                help: "The provider's API, without a slash at the end."),
            SettingDescription(
                name: "SPORTMONKS_HOURLY_LIMIT", default: "2000",
                help: "Calls per endpoint and hour, of all processes together; 0 for no limit. Half are used here."),
            SettingDescription(
                name: "ORCHESTRATOR_INTERVAL", default: "30s", help: "How often everything is looked at."),
            SettingDescription(
                name: "START_LEAD", default: "0s", help: "How long before its start a match's activities begin."),
            SettingDescription(
                name: "START_FALLBACK_WAIT", default: "2m",
                help: "From a silent push to a notification to nothing more, for a phone that answers to no start."),
            SettingDescription(
                name: "ACTIVITY_RENEW_AFTER", default: "7h45m",
                help: "The age at which an activity is replaced; in a break up to an hour earlier. iOS ends it at 8h."),
            SettingDescription(
                name: "RESULT_HOLD", default: "5m", help: "How long a result stays on the Lock Screen as an update."),
            SettingDescription(
                name: "FOLLOW_RETENTION", default: "48h", help: "How long follows are kept after the match."),
            SettingDescription(name: "LEASE_DURATION", default: "8s", help: "How long the orchestrator's lease lasts."),
        ], healthPort: 8092)
}
