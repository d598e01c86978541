import SightscreenModels

/// The components that answers in the OpenAPI document are made of. A test encodes the types behind them and compares.
enum AnswerSchemas {
    static let all: [String: Schema] = matches.merging(contentState) { $1 }.merging(user) { $1 }.merging(admin) { $1 }
        .merging(export) { $1 }.merging(replay) { $1 }.merging(open) { $1 }

    private static let relevance = Schema.optional(
        "relevance", .number(0...100), "Its relevance-score, for an activity that the app starts.")

    private static let matches: [String: Schema] = [
        "Side": .object([
            Schema.required("id", .anyText), Schema.required("name", .anyText), Schema.required("abbr", .anyText),
            Schema.optional("logo", .anyText, "An https address of an image."),
        ]),
        "Match": .object([
            Schema.required("id", .anyText), Schema.required("leagueId", .anyText),
            Schema.required("competition", .anyText), Schema.required("round", .anyText),
            Schema.required("format", .anyText), Schema.required("status", .choice(of: MatchStatus.self)),
            Schema.optional("startsAt", .anyInteger, "Absent while the provider has none."),
            Schema.required("home", .named("Side")), Schema.required("away", .named("Side")),
            Schema.required("venue", .anyText),
            Schema.optional("note", .anyText, "The provider's words: the result, or why there is no play."),
            Schema.optional("winnerId", .anyText),
            Schema.optional("displayState", .named("ContentState"), "Absent before the first version."), relevance,
            Schema.optional(
                "channel", .named("Channel"), "For the caller's own activity; only of one match that is followed."),
        ]),
        "Channel": .object([
            Schema.required("id", .anyText, "For ActivityKit's pushType: .channel(id)."),
            Schema.optional("startsAt", .anyInteger, "The match's start, for an activity that is scheduled."),
        ]),
        "Matches": .object([
            Schema.required("matches", .list(.named("Match"))),
            Schema.optional("nextCursor", .anyText, "For ?cursor=; absent on the last page."),
            Schema.required("retryAfterMs", .anyInteger, "When to ask again."),
            Schema.optional(
                "listedUntil", .anyInteger, "The end of the days that are known; no match later does not mean none."),
        ]),
        "LiveMatches": .object([
            Schema.required("matches", .list(.named("Match"))),
            Schema.required("retryAfterMs", .anyInteger, "When to ask again; shorter in key moments."),
        ]),
    ]

    /// The meaning of each key is in deploy/docs/content-state.md.
    private static let contentState: [String: Schema] = [
        "ContentState": .object([
            Schema.required("schema", .anyInteger), Schema.required("version", .anyInteger),
            // Names may be added: a client reads one that it does not know as `other`.
            Schema.required("matchDisplayState", .anyText, names(MatchDisplayState.self)),
            Schema.required("matchSentiment", .anyText, names(MatchSentiment.self)),
            Schema.required("compactLeading", .named("TeamScore")),
            Schema.required(
                "compactTrailing",
                .object([Schema.required("overs", .anyText), Schema.required("runRate", .anyText)])),
            Schema.optional("minimal", .named("TeamScore")), Schema.required("expanded", .named("Expanded")),
        ]),
        "TeamScore": .object([Schema.required("teamAbbr", .anyText), Schema.required("score", .anyText)]),
        "Expanded": .object([
            Schema.required("title", .anyText), Schema.required("subtitle", .anyText),
            Schema.required(
                "innings",
                .list(
                    .object([
                        Schema.required("teamAbbr", .anyText), Schema.required("score", .anyText),
                        Schema.required("overs", .anyText),
                        Schema.optional("allOut", .flag, "The score is then without wickets."),
                    ]))),
            Schema.required(
                "batters",
                .list(
                    .object([
                        Schema.required("name", .anyText), Schema.required("score", .anyText),
                        Schema.required("strikeRate", .anyText), Schema.required("onStrike", .flag),
                    ]))),
            Schema.optional(
                "bowler",
                .object([
                    Schema.required("name", .anyText), Schema.required("figures", .anyText),
                    Schema.required("economy", .anyText),
                ])),
            Schema.required("recentBalls", .list(.anyText), "Newest last, at most 12; | ends an over."),
            Schema.optional("target", .anyText), Schema.optional("requiredRunRate", .anyText),
            Schema.optional("equation", .anyText),
            Schema.optional(
                "lastEvent",
                .object([
                    Schema.required("kind", .anyText), Schema.optional("ball", .anyText),
                    Schema.required("text", .anyText),
                ])),
            Schema.optional("lastWicket", .anyText, "Of the innings in play."),
            Schema.optional("partnership", .anyText), Schema.optional("session", .anyText),
            Schema.optional("asOf", .anyInteger),
            Schema.optional(
                "outcome",
                .object([Schema.optional("winnerAbbr", .anyText), Schema.required("text", .anyText)]),
                "Once there is a result."), Schema.optional("status", .anyText),
        ]),
    ]

    private static let user: [String: Schema] = [
        "Following": .object([
            Schema.required("following", .flag),
            Schema.optional("displayState", .named("ContentState"), "What to show at once."),
            Schema.required("liveActivity", .named("LiveActivity")),
            Schema.optional("channel", .named("Channel"), "For an activity that the app starts or schedules itself."),
            relevance,
        ]),
        "ActivityReported": .object([Schema.required("liveActivity", .named("LiveActivity"))]),
        "LiveActivity": .choice(["active", "starting", "scheduled", "unavailable", "ended", "other"]),
        "Unfollowed": .object([Schema.required("following", .flag)]),
        "Follow": .object([
            Schema.required("matchId", .anyText), Schema.optional("teamId", .anyText, "The side the user is for."),
            Schema.required("alerts", .choice(of: AlertLevel.self)), Schema.required("followedAt", .anyInteger),
            Schema.optional("expiresAt", .anyInteger, "Set when the match is over."),
        ]),
        "Follows": .object([Schema.required("follows", .list(.named("Follow")))]),
        "Device": .object([
            Schema.required("deviceId", .anyText),
            Schema.required("liveActivitiesCapable", .flag, "Live Activities can be started on it by push."),
            Schema.optional(
                "end", .list(.anyText), "Of the listed activities, those that should not be there: end them at once."),
            Schema.optional(
                "tokensWanted", .list(.anyText),
                "Of the listed activities, those whose tokens APNs calls dead: register them anew."),
            Schema.optional(
                "gone", .list(.anyText),
                "Followed matches in play whose card is gone, perhaps swiped away: offer to show it again."),
            Schema.optional("waitsFor", .named("TokenWait"), "With 202: the token is another user's."),
        ]),
        "TokenWait": .choice(["confirmation", "deviceToken", "owner", "other"]),
        "Activity": .object([
            Schema.required(
                "liveActivity", .named("LiveActivity"), "active; or ended: an end push is on its way to this token."),
            Schema.optional("displayState", .named("ContentState")),
            Schema.optional("waitsFor", .named("TokenWait"), "With 202: the token is another user's."),
        ]),
    ]

    /// The answer to `GET /user/data`.
    private static let export: [String: Schema] = [
        "UserData": .object([
            Schema.required("userId", .anyText), Schema.required("exportedAt", .anyInteger),
            Schema.optional("deletedAt", .anyInteger, "When an earlier account of this user was deleted."),
            Schema.required("devices", .list(.named("UserDevice"))),
            Schema.required("follows", .list(.named("Follow"))),
            Schema.required("liveActivities", .list(.named("UserActivity")), "Every generation, newest first."),
            Schema.optional("liveActivitiesOmitted", .anyInteger, "How many older ones are left out."),
        ]),
        "UserDevice": .object([
            Schema.required("deviceId", .anyText), Schema.required("platform", .anyText),
            Schema.required("environment", .choice(of: APNsEnvironment.self)),
            Schema.optional("deviceTokenAt", .anyInteger, "When its device token came; absent if there is none."),
            Schema.optional("pushToStartTokenAt", .anyInteger, "The same of its start token."),
            Schema.optional("osVersion", .anyText),
            Schema.optional("appVersion", .anyText), Schema.required("liveActivitiesEnabled", .flag),
            Schema.required("frequentPushesEnabled", .flag), Schema.optional("broadcast", .flag),
            Schema.required("createdAt", .anyInteger), Schema.required("lastSeenAt", .anyInteger),
            Schema.required(
                "fallbackStep", .choice(["none", "silent", "visible", "passive"]),
                "What was sent because starts do not arrive."),
            Schema.optional("fallbackAt", .anyInteger), Schema.optional("visiblePushAt", .anyInteger),
            Schema.optional("reconcileSentAt", .anyInteger),
        ]),
        "UserActivity": .object([
            Schema.required("matchId", .anyText), Schema.required("deviceId", .anyText),
            Schema.required("generation", .anyInteger),
            Schema.required("status", .choice(["pending", "active", "ended"])), Schema.optional("endReason", .anyText),
            Schema.optional("startId", .anyText), Schema.required("startsSent", .anyInteger),
            Schema.optional("startSentAt", .anyInteger), Schema.optional("startGivenUpAt", .anyInteger),
            Schema.optional("activityId", .anyText),
            Schema.optional("activityTokenAt", .anyInteger, "When its newest update token came."),
            Schema.required("endPush", .choice(["none", "due", "sent", "dropped"])),
            Schema.required("createdAt", .anyInteger), Schema.optional("activatedAt", .anyInteger),
            Schema.optional("endedAt", .anyInteger),
            Schema.optional("renewalDueAt", .anyInteger, "When it is to be replaced, before iOS ends it."),
            Schema.optional("renewalStartId", .anyText), Schema.optional("renewalSentAt", .anyInteger),
            Schema.optional("seenAt", .anyInteger), Schema.optional("card", .anyText),
            Schema.optional("channelId", .anyText, "The broadcast channel that it listens to."),
        ]),
    ]

    private static let open: [String: Schema] = [
        "Problem": .object([
            Schema.required("type", .choice(Problem.Kind.allCases.map { "/problems/\($0.rawValue)" })),
            Schema.required("title", .anyText), Schema.required("status", .anyInteger),
            Schema.optional("detail", .anyText, "For the developer of a client."),
            Schema.optional("field", .anyText, "The field of the request that was wrong."),
            Schema.required("requestId", .anyText),
        ]),
        "AppConfig": .object([
            Schema.required("minAppVersion", .anyText, "Below it the app asks for an update and opens storeUrl."),
            Schema.required("storeUrl", .anyText), Schema.required("maintenanceMode", .flag),
            Schema.optional("maintenanceMessage", .anyText, "What the maintenance screen says."),
            Schema.optional(
                "updateRequired", .flag, "Whether the version that asks is below minAppVersion; only with ?version."),
        ]),
        "Status": .object([Schema.required("status", .choice(["ok", "ready"]))]),
        "Index": .object([
            Schema.required("name", .anyText), Schema.required("documentation", .anyText),
            Schema.required("authentication", .anyText), Schema.required("calls", .list(.anyText)),
        ]),
        "OpenAPI": .object([Schema.required("openapi", .choice(["3.1.0"]))]),
    ]

    private static let admin: [String: Schema] = [
        "AdminConfig": .object([
            Schema.required("effective", .named("AppConfig"), "What GET /app/config says."),
            Schema.required("overridden", .list(.anyText), "The settings that were changed here."),
            Schema.optional("changedAt", .anyInteger),
        ]),
        "Hold": .object([
            Schema.optional("matchId", .anyText, "Absent: everywhere."),
            Schema.required("hold", .choice(of: HoldLevel.self), "This hold alone."),
            Schema.required(
                "effective", .choice(of: HoldLevel.self),
                "The stronger of the match's and that for everywhere."),
            Schema.optional("setAt", .anyInteger), Schema.optional("setBy", .anyText),
        ]),
        "SyncedFixtures": .object([
            Schema.required("fixtures", .list(.named("SyncedFixture"))),
            Schema.optional("nextCursor", .anyText, "For ?cursor=; absent on the last page."),
        ]),
        "SyncedFixture": .object([
            Schema.required("matchId", .anyText), Schema.required("leagueId", .anyText),
            Schema.required("competition", .anyText), Schema.required("round", .anyText),
            Schema.required("format", .anyText), Schema.required("status", .anyText, "The provider's word."),
            Schema.optional("startsAt", .anyInteger), Schema.required("home", .named("Side")),
            Schema.required("away", .named("Side")), Schema.required("venue", .anyText),
            Schema.optional("note", .anyText), Schema.optional("winnerId", .anyText),
            Schema.required("syncedAt", .anyInteger),
            Schema.optional("missingSince", .anyInteger, "The provider no longer lists it."),
            Schema.optional("displayState", .anyText), Schema.optional("version", .anyInteger),
        ]),
        "CacheStats": .object([
            Schema.required("instance", .anyText, "Each replica has caches of its own."),
            Schema.required("replies", .named("CacheCount")), Schema.required("keys", .named("KeyCache")),
            Schema.optional("clearedAt", .anyInteger),
        ]),
        "CacheCount": .object([
            Schema.required("entries", .anyInteger), Schema.required("hits", .anyInteger),
            Schema.required("misses", .anyInteger),
        ]),
        "KeyCache": .object([
            Schema.required("entries", .anyInteger),
            Schema.optional("ageSeconds", .anyInteger, "Since the issuer's keys were fetched."),
            Schema.required("verifiedTokens", .anyInteger, "Tokens that need not be checked again."),
        ]),
        "Audit": .object([
            Schema.required("entries", .list(.named("AuditEntry")), "Newest first."),
            Schema.optional("nextCursor", .anyText, "For ?before=; absent on the last page."),
        ]),
        "AuditEntry": .object([
            Schema.required("id", .anyText), Schema.required("at", .anyInteger),
            Schema.required("actor", .anyText, "user:<sub>, api-key:<name>, or of a command shell:<user>@<host>."),
            Schema.required("action", .anyText),
            Schema.required("detail", .object([]), "What was asked, and what it was before."),
        ]),
    ]

    private static let replay: [String: Schema] = [
        "Tapes": .object([
            Schema.required(
                "tapes", .list(.object([Schema.required("tapeId", .anyText), Schema.required("title", .anyText)])))
        ]),
        "Replays": .object([Schema.required("matches", .list(.named("Replay")))]),
        "Replay": .object([
            Schema.required("matchId", .anyText), Schema.required("tapeId", .anyText),
            Schema.required("title", .anyText), Schema.required("variant", .anyText, "How the provider misbehaves."),
            Schema.required("seed", .anyText), Schema.required("cursor", .anyInteger, "Frames shown."),
            Schema.required("frames", .anyInteger, "All of them."),
            Schema.required("label", .anyText, "The newest ball shown: S1 12.3 87/6."),
            Schema.required("playing", .flag), Schema.required("speed", .number(0.01...1_000_000)),
            Schema.required("isLast", .flag, "The last frame is shown."),
        ]),
    ]

    private static func names<T: RawRepresentable<String> & CaseIterable>(_ type: T.Type) -> String {
        type.allCases.map(\.rawValue).joined(separator: ", ")
    }
}
