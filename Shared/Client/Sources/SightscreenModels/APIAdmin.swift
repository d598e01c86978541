/// The values of the app's configuration that an administrator has changed. A value that is nil stays as the gateway's
/// settings have it.
public struct AppConfigOverrides: Codable, Hashable, Sendable {
    public var minAppVersion: String?
    public var storeUrl: String?
    public var maintenanceMode: Bool?
    /// The text on the maintenance screen.
    public var maintenanceMessage: String?

    public init(
        minAppVersion: String? = nil, storeUrl: String? = nil, maintenanceMode: Bool? = nil,
        maintenanceMessage: String? = nil
    ) {
        self.minAppVersion = minAppVersion
        self.storeUrl = storeUrl
        self.maintenanceMode = maintenanceMode
        self.maintenanceMessage = maintenanceMessage
    }

    /// The names of the changed values.
    public var names: [String] {
        [
            minAppVersion.map { _ in "minAppVersion" }, storeUrl.map { _ in "storeUrl" },
            maintenanceMode.map { _ in "maintenanceMode" }, maintenanceMessage.map { _ in "maintenanceMessage" },
        ].compactMap { $0 }
    }
}

/// The answer to `GET` and `PATCH /admin/config`.
public struct AdminConfigResponse: Codable, Hashable, Sendable {
    /// The configuration that `GET /app/config` returns.
    public var effective: AppConfig
    /// The names of the values that an administrator has changed from the gateway's settings.
    public var overridden: [String]
    /// Seconds since 1970.
    public var changedAt: Int?

    public init(effective: AppConfig, overridden: [String], changedAt: Int?) {
        self.effective = effective
        self.overridden = overridden
        self.changedAt = changedAt
    }
}

/// One match as the provider last reported it, and its state in this system. Times are seconds since 1970.
public struct SyncedFixture: Codable, Hashable, Sendable {
    public var matchId: MatchID
    public var leagueId: String
    public var competition: String
    public var round: String
    public var format: String
    /// The provider's own status: "NS", "1st Innings", "Finished".
    public var status: String
    public var startsAt: Int?
    public var home: MatchItem.Side
    public var away: MatchItem.Side
    public var venue: String
    public var note: String?
    public var winnerId: String?
    public var syncedAt: Int
    /// The time since which the provider no longer lists the match.
    public var missingSince: Int?
    /// The phase of the newest version; absent while there is no version.
    public var displayState: String?
    public var version: Int?

    public init(
        matchId: MatchID, leagueId: String, competition: String, round: String, format: String, status: String,
        startsAt: Int?, home: MatchItem.Side, away: MatchItem.Side, venue: String, note: String?, winnerId: String?,
        syncedAt: Int, missingSince: Int?, displayState: String?, version: Int?
    ) {
        self.matchId = matchId
        self.leagueId = leagueId
        self.competition = competition
        self.round = round
        self.format = format
        self.status = status
        self.startsAt = startsAt
        self.home = home
        self.away = away
        self.venue = venue
        self.note = note
        self.winnerId = winnerId
        self.syncedAt = syncedAt
        self.missingSince = missingSince
        self.displayState = displayState
        self.version = version
    }
}

/// The answer to `GET /admin/sportmonks/fixtures`.
public struct SyncedFixturesResponse: Codable, Hashable, Sendable {
    public var fixtures: [SyncedFixture]
    /// The value of `?cursor=` for the next page; absent on the last page.
    public var nextCursor: String?

    public init(fixtures: [SyncedFixture], nextCursor: String?) {
        self.fixtures = fixtures
        self.nextCursor = nextCursor
    }
}

/// One recorded call of an administrator.
public struct AuditEntry: Codable, Hashable, Sendable {
    public var id: String
    /// Seconds since 1970.
    public var at: Int
    /// `user:<sub>`, `api-key:<name>`, or of a command `shell:<user>@<host>`.
    public var actor: String
    public var action: String
    /// The requested values, and the values before.
    public var detail: [String: String]

    public init(id: String, at: Int, actor: String, action: String, detail: [String: String]) {
        self.id = id
        self.at = at
        self.actor = actor
        self.action = action
        self.detail = detail
    }
}

/// The answer to `GET /admin/audit`, newest entry first.
public struct AuditResponse: Codable, Hashable, Sendable {
    public var entries: [AuditEntry]
    /// The value of `?before=` for the next page; absent on the last page.
    public var nextCursor: String?

    public init(entries: [AuditEntry], nextCursor: String?) {
        self.entries = entries
        self.nextCursor = nextCursor
    }
}
