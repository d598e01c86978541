import Glibc
public import ServiceKit

/// The settings of score-poller, read once at start.
public struct ScorePollerConfiguration: Sendable {
    public var database: DatabaseSetting
    public var instance: String
    public var runDirectory: String
    public var provider: ServiceURL
    public var apiToken: Secret
    public var hourlyLimit: Int
    public var schedule: PollSchedule
    public var groups: [PollGroup]
    public var leaseDuration: Duration
    /// The folder for tapes of the fetched answers; nil when none are recorded.
    public var recordFolder: String?
    public var allowsStandIns: Bool

    /// - Throws: `ConfigurationError` that names the setting.
    public init(_ settings: Settings) throws {
        database = try settings.database()
        instance = settings.instance
        runDirectory = settings.runDirectory
        apiToken = try settings.tokenSecret("SPORTMONKS_API_TOKEN")
        provider = try settings.url("SPORTMONKS_URL")
        hourlyLimit = try settings.int("SPORTMONKS_HOURLY_LIMIT")
        schedule = PollSchedule(
            usual: try settings.duration("POLL_INTERVAL"),
            marquee: try settings.duration("MARQUEE_POLL_INTERVAL"),
            suspended: try settings.duration("SUSPENDED_POLL_INTERVAL"),
            marqueeLeagues: Set(
                try settings.list("MARQUEE_LEAGUES").map { part in
                    guard let league = Int64(part), league > 0 else {
                        throw ConfigurationError(
                            setting: "MARQUEE_LEAGUES", problem: "\"\(part)\" is not a league id; write ids like 1,3")
                    }
                    return league
                }))
        groups = try settings.optionalString("POLL_GROUPS").map { try PollGroup.parse($0) } ?? [.all]
        leaseDuration = try settings.duration("LEASE_DURATION")
        allowsStandIns = try settings.standIns
        recordFolder = try settings.optionalString("RECORD_DIR")
        if let recordFolder {
            var status = stat()
            guard stat(recordFolder, &status) == 0, status.st_mode & S_IFMT == S_IFDIR,
                access(recordFolder, W_OK | X_OK) == 0
            else {
                throw ConfigurationError(
                    setting: "RECORD_DIR", problem: "\"\(recordFolder)\" is not a folder that can be written to")
            }
        }
    }

    /// The service's settings, each declared here or in `Setting`.
    public static let service = ServiceDescription(
        name: "score-poller",
        summary: "fetches all live matches from the score provider and offers each frame until it is committed",
        settings: [
            .sportMonksToken, .sportMonksURL, .sportMonksHourlyLimit,
            Setting(
                "POLL_INTERVAL", default: .seconds(5), in: intervals, help: "Between two polls while a match is on."),
            Setting(
                "MARQUEE_POLL_INTERVAL", default: .milliseconds(2_500), in: intervals,
                help: "Between two polls while a marquee league plays."),
            Setting(
                "SUSPENDED_POLL_INTERVAL", default: .seconds(60), in: intervals,
                help: "Between two polls while nothing can begin: at night, and early in an interval."),
            Setting(
                "MARQUEE_LEAGUES", default: "", help: "The provider's league ids that are polled faster: 1,3."),
            Setting(
                "POLL_GROUPS", default: "",
                help: "Leagues that have a poller of their own: a=1,2;b=3. Unset: one, all."),
            Setting(
                "RECORD_DIR", default: "",
                help: "A folder for tapes of every answer, a file per poll group and run. Also --record."),
            .leaseDuration,
        ], healthPort: 8093)

    private static let intervals = Duration.milliseconds(100) ... .seconds(3_600)
}
