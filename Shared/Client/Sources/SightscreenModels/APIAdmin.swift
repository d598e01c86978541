/// What an administrator has changed of the app's config; what is nil is as the gateway's settings say.
public struct AppConfigOverrides: Codable, Hashable, Sendable {
    public var minAppVersion: String?
    public var storeUrl: String?
    public var maintenanceMode: Bool?
    /// What the maintenance screen says.
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

    /// The names of what was changed.
    public var names: [String] {
        [
            minAppVersion.map { _ in "minAppVersion" }, storeUrl.map { _ in "storeUrl" },
            maintenanceMode.map { _ in "maintenanceMode" }, maintenanceMessage.map { _ in "maintenanceMessage" },
        ].compactMap { $0 }
    }
}

/// `GET` and `PATCH /admin/config`.
public struct AdminConfigResponse: Codable, Hashable, Sendable {
    /// What `GET /app/config` says.
    public var effective: AppConfig
    /// The names of what differs from the gateway's settings by an administrator's will.
    public var overridden: [String]
    /// Seconds since 1970.
    public var changedAt: Int?

    public init(effective: AppConfig, overridden: [String], changedAt: Int?) {
        self.effective = effective
        self.overridden = overridden
        self.changedAt = changedAt
    }
}

/// One match as the provider last told it, and what became of it here. Times are seconds since 1970.
public struct SyncedFixture: Codable, Hashable, Sendable {
    public var matchId: MatchID
    public var leagueId: String
    public var competition: String
    public var round: String
    public var format: String
    /// The provider's word: "NS", "1st Innings", "Finished".
    public var status: String
    public var startsAt: Int?
    public var home: MatchItem.Side
    public var away: MatchItem.Side
    public var venue: String
    public var note: String?
    public var winnerId: String?
    public var syncedAt: Int
    /// The provider no longer lists it.
    public var missingSince: Int?
    /// Absent while there is no version.
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

/// `GET /admin/sportmonks/fixtures`.
public struct SyncedFixturesResponse: Codable, Hashable, Sendable {
    public var fixtures: [SyncedFixture]
    /// For `?cursor=`; absent on the last page.
    public var nextCursor: String?

    public init(fixtures: [SyncedFixture], nextCursor: String?) {
        self.fixtures = fixtures
        self.nextCursor = nextCursor
    }
}

/// One call of an administrator.
public struct AuditEntry: Codable, Hashable, Sendable {
    public var id: String
    /// Seconds since 1970.
    public var at: Int
    /// `user:<sub>`, or `api-key:<name>`.
    public var actor: String
    public var action: String
    /// What was asked, and what it was before.
    public var detail: [String: String]

    public init(id: String, at: Int, actor: String, action: String, detail: [String: String]) {
        self.id = id
        self.at = at
        self.actor = actor
        self.action = action
        self.detail = detail
    }
}

/// `GET /admin/audit`, newest first.
public struct AuditResponse: Codable, Hashable, Sendable {
    public var entries: [AuditEntry]
    /// For `?before=`; absent on the last page.
    public var nextCursor: String?

    public init(entries: [AuditEntry], nextCursor: String?) {
        self.entries = entries
        self.nextCursor = nextCursor
    }
}
