import SightscreenModels
import Store

/// Following and unfollowing.
struct FollowRoutes: Sendable {
    let follows: FollowStore
    let bell: any CoordinatorBell

    private static let deviceID = Schema.optional(
        "deviceId", .text(.identifier), "Which phone asks; may be left out by users of one phone.")
    private static let wishes = [
        deviceID,
        Schema.optional(
            "startsLocally", .flag,
            "The phone starts the activity itself: none is started by push unless its token stays away."),
        Schema.optional("teamId", .text(.number), "The side the user is for; left out keeps what is known."),
        Schema.optional("alerts", .choice(AlertLevel.allCases.map(\.rawValue)), "all, unless said otherwise."),
    ]
    private static let matchID = Schema.required("matchId", .text(.number))

    private static func following(_ id: String, _ body: Operation.Body) -> Operation {
        Operation(
            id: id, summary: "Follow a match, or change how; in play its Live Activities begin.", tag: .following,
            body: body, answer: .ok("Following", "It is followed; with what to show at once."),
            refusals: [.unknownMatch, .unknownTeam, .deviceRequired, .limitReached], limit: .follows)
    }

    private static func unfollowing(_ id: String, _ body: Operation.Body? = nil) -> Operation {
        Operation(
            id: id, summary: "Unfollow a match: its Live Activities end on all the user's phones.", tag: .following,
            body: body, answer: .ok("Unfollowed", "It is not followed, whether it was before or not."),
            refusals: [.unknownMatch], limit: .follows)
    }

    private static func changing(_ id: String, _ body: Operation.Body) -> Operation {
        Operation(
            id: id, summary: "Change the side or the alerts of a followed match.", tag: .following, body: body,
            answer: .ok("Follow", "The follow as it is now."), refusals: [.unknownMatch, .unknownTeam, .notFollowing],
            limit: .follows)
    }

    var routes: [Route] {
        let alerts = Schema.optional("alerts", .choice(AlertLevel.allCases.map(\.rawValue)))
        let team = Schema.optional("teamId", .text(.number), "Null: for neither side.")
        return [
            Route(
                "POST", "/user/follow/match", .users,
                Self.following("follow", .init(name: "FollowRequest", fields: [Self.matchID] + Self.wishes))
            ) { request in
                try await follow(request, try FieldReader.required("matchId", request.fields.matchID("matchId")))
            },
            Route(
                "DELETE", "/user/follow/match", .users,
                Self.unfollowing("unfollow", .init(name: "UnfollowRequest", fields: [Self.matchID]))
            ) { request in
                try await unfollow(request, try FieldReader.required("matchId", request.fields.matchID("matchId")))
            },
            Route("DELETE", "/user/follow/match/:id", .users, Self.unfollowing("unfollowByPath")) {
                try await unfollow($0, $0.matchID)
            },
            Route(
                "PATCH", "/user/follow/match/:id", .users,
                Self.changing("changeFollow", .init(name: "FollowChange", fields: [team, alerts]))
            ) { try await change($0) },
            Route(
                "PATCH", "/user/follow/match/:id/team", .users,
                Self.changing(
                    "changeTeam",
                    .init(
                        name: "TeamChange",
                        fields: [
                            Schema.required("teamId", .text(.number), "Null: for neither side.", acceptsNull: true)
                        ]))
            ) { try await change($0) },
            Route(
                "GET", "/user/follows", .users,
                Operation(
                    id: "listFollows", summary: "What the user follows, oldest first.", tag: .following,
                    answer: .ok("Follows", "For the app to reconcile at sign-in."), isTagged: true)
            ) { request in
                try Reply.json(FollowsResponse(follows: try await follows.follows(of: request.user))).tagged(
                    for: request)
            },
            Route(
                "POST", "/matches/:id/follow", .users,
                Self.following(
                    "followMatch", .init(name: "MatchFollowRequest", fields: Self.wishes, isOptional: true))
            ) { try await follow($0, $0.matchID) },
            Route(
                "POST", "/matches/:id/unfollow", .users,
                Self.unfollowing("unfollowMatch", .init(name: "Nothing", fields: [], isOptional: true))
            ) { try await unfollow($0, $0.matchID) },
        ]
    }

    private func follow(_ request: GatewayRequest, _ match: MatchID) async throws -> Reply {
        let fields = request.fields
        let wish = FollowRequest(
            matchId: match, deviceId: try fields.identifier("deviceId", as: DeviceID.self),
            startsLocally: try fields.flag("startsLocally"), teamId: try fields.text("teamId"),
            alerts: try fields.choice("alerts", of: AlertLevel.self))
        let answer = try await follows.follow(wish, user: request.user)
        await bell.ring(for: [match])
        return try Reply.json(answer)
    }

    private func unfollow(_ request: GatewayRequest, _ match: MatchID) async throws -> Reply {
        try await follows.unfollow(match, user: request.user)
        await bell.ring(for: [match])
        return try Reply.json(UnfollowResponse(following: false))
    }

    private func change(_ request: GatewayRequest) async throws -> Reply {
        let match = try request.matchID
        var change = FollowStore.Change()
        if let team = try request.fields.text("teamId") {
            change.team = .team(team)
        } else if request.fields.isNull("teamId") {
            change.team = .none
        }
        change.alerts = try request.fields.choice("alerts", of: AlertLevel.self)
        guard let item = try await follows.change(match, user: request.user, change) else {
            throw Problem(.notFollowing)
        }
        return try Reply.json(item)
    }
}
