public import ServiceKit

/// The operator's settings, read once at the start.
public struct MatchOrchestratorConfiguration: Sendable {
    public var database: DatabaseSetting
    public var instance: String
    public var runDirectory: String
    public var providerURL: ServiceURL
    public var providerToken: Secret
    /// Whether plain http is allowed, which only the stand-ins may be reached by.
    public var allowsHTTP: Bool
    /// The calls of `/fixtures` that the provider allows in an hour; 0: no limit.
    public var hourlyLimit: Int
    public var interval: Duration
    public var startLead: Duration
    public var fallbackWait: Duration
    public var renewAfter: Duration
    public var resultHold: Duration
    public var followRetention: Duration
    public var leaseDuration: Duration
    package var logoHosts: LogoHosts
    /// The followers of a class that a channel is worth; nil when there are no channels.
    public var channelFollowersMin: Int?

    /// - Throws: `ConfigurationError`, which names the setting.
    public init(_ settings: Settings) throws {
        database = try settings.database()
        instance = settings.instance
        runDirectory = settings.runDirectory
        providerURL = try settings.url("SPORTMONKS_URL")
        providerToken = try settings.tokenSecret("SPORTMONKS_API_TOKEN")
        allowsHTTP = try settings.standIns
        hourlyLimit = try settings.int("SPORTMONKS_HOURLY_LIMIT")
        interval = try settings.duration("ORCHESTRATOR_INTERVAL")
        startLead = try settings.duration("START_LEAD")
        fallbackWait = try settings.duration("START_FALLBACK_WAIT")
        renewAfter = try settings.duration("ACTIVITY_RENEW_AFTER")
        resultHold = try settings.duration("RESULT_HOLD")
        followRetention = try settings.duration("FOLLOW_RETENTION")
        leaseDuration = try settings.duration("LEASE_DURATION")
        logoHosts = try LogoHosts(settings)
        let followersMin = try settings.int("CHANNEL_MIN_FOLLOWERS")
        let broadcast: Broadcast = try settings.choice("BROADCAST")
        channelFollowersMin = broadcast == .auto ? followersMin : nil
    }

    /// The service's name and settings, each declared here or in `Setting`.
    public static let service = ServiceDescription(
        name: "orchestrator",
        summary: "syncs the schedule, starts what live matches lack, ends what is over, removes what has expired.",
        settings: [
            .sportMonksToken, .sportMonksURL, .sportMonksHourlyLimit, LogoHosts.setting,
            Setting(
                "ORCHESTRATOR_INTERVAL", default: .seconds(30), in: .milliseconds(100) ... .hours(1),
                help: "How often everything is looked at."),
            Setting(
                "START_LEAD", default: .zero, in: .zero ... .hours(1),
                help: "How long before its start a match's activities begin."),
            Setting(
                "START_FALLBACK_WAIT", default: .seconds(120), in: .seconds(1) ... .hours(24),
                help: "From a silent push to a notification to nothing more, for a phone that answers to no start."),
            Setting(
                "ACTIVITY_RENEW_AFTER", default: .seconds(7 * 3_600 + 45 * 60), in: .seconds(1) ... .hours(8),
                help: "The age at which an activity is replaced; in a break up to an hour earlier. iOS ends it at 8h."),
            .broadcast,
            Setting(
                "CHANNEL_MIN_FOLLOWERS", default: 200, in: 1...10_000_000,
                help: "The phones with one alert level for which a match gets a broadcast channel."),
            .resultHold, .followRetention, .leaseDuration,
        ], healthPort: 8092)
}
