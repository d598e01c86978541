import SightscreenModels
import Store

/// The calls for following and unfollowing.
struct FollowRoutes: Sendable {
    let follows: FollowStore
    let notifier: any CoordinatorNotifier

    private static func following(_ id: String) -> Operation {
        Operation(
            id: id, summary: "Follow a match, or change how; in play its Live Activities begin.", tag: .following,
            answer: .ok("Following", "It is followed; with what to show at once."),
            refusals: [.unknownMatch, .unknownTeam, .deviceRequired, .limitReached], limit: .follows)
    }

    private static func unfollowing(_ id: String) -> Operation {
        Operation(
            id: id, summary: "Unfollow a match: its Live Activities end on all the user's phones.", tag: .following,
            answer: .ok("Unfollowed", "It is not followed, whether it was before or not."),
            refusals: [.unknownMatch], limit: .follows)
    }

    private static func changing(_ id: String) -> Operation {
        Operation(
            id: id, summary: "Change the side or the alerts of a followed match.", tag: .following,
            answer: .ok("Follow", "The follow as it is now."), refusals: [.unknownMatch, .unknownTeam, .notFollowing],
            limit: .follows)
    }

    var routes: [Route] {
        [
            Route("POST", "/user/follow/match", .users, Self.following("follow"), taking: follow),
            Route(
                "DELETE", "/user/follow/match", .users, Self.unfollowing("unfollow"),
                taking: {
                    (request, body: UnfollowRequest) in try await unfollow(request, body.matchId)
                }),
            Route(
                "DELETE", "/user/follow/match/:id", .users, Self.unfollowing("unfollowByPath"),
                answering: {
                    try await unfollow($0, $0.matchID)
                }),
            Route(
                "PATCH", "/user/follow/match/:id", .users, Self.changing("changeFollow"),
                taking: {
                    (request, body: FollowChange) in try await change(request, body.change)
                }),
            Route(
                "PATCH", "/user/follow/match/:id/team", .users, Self.changing("changeTeam"),
                taking: {
                    (request, body: TeamChange) in try await change(request, body.change)
                }),
            Route(
                "GET", "/user/follows", .users,
                Operation(
                    id: "listFollows", summary: "What the user follows, oldest first.", tag: .following,
                    answer: .ok("Follows", "For the app to reconcile at sign-in."), isTagged: true),
                answering: { FollowsResponse(follows: try await follows.follows(of: $0.user)) }),
            Route(
                "POST", "/matches/:id/follow", .users, Self.following("followMatch"),
                taking: {
                    (request, body: MatchFollowRequest) in try await follow(request, body.request(for: request.matchID))
                }),
            Route(
                "POST", "/matches/:id/unfollow", .users, Self.unfollowing("unfollowMatch"),
                taking: {
                    (request, _: NoFields) in try await unfollow(request, request.matchID)
                }),
        ]
    }

    @Sendable private func follow(_ request: GatewayRequest, _ order: FollowRequest) async throws -> FollowResponse {
        let answer = try await follows.follow(order, user: request.user)
        await notifier.notify(of: [order.matchId])
        return answer
    }

    private func unfollow(_ request: GatewayRequest, _ match: MatchID) async throws -> UnfollowResponse {
        try await follows.unfollow(match, user: request.user)
        await notifier.notify(of: [match])
        return UnfollowResponse(following: false)
    }

    private func change(_ request: GatewayRequest, _ change: FollowStore.Change) async throws -> FollowItem {
        guard let item = try await follows.change(request.matchID, user: request.user, change) else {
            throw Problem(.notFollowing)
        }
        return item
    }
}

private let matchID = Schema.required("matchId", .text(.number))

extension FollowRequest: RequestBody {
    static let body = Operation.Body(name: "FollowRequest", fields: [matchID] + MatchFollowRequest.body.fields)

    init(_ fields: FieldReader) throws {
        self = try MatchFollowRequest(fields).request(
            for: FieldReader.required("matchId", fields.matchID("matchId")))
    }
}

/// A `FollowRequest` whose match is in the path.
private struct MatchFollowRequest: RequestBody {
    static let body = Operation.Body(
        name: "MatchFollowRequest",
        fields: [
            Schema.optional(
                "deviceId", .text(.identifier), "Which phone asks; may be left out by users of one phone."),
            Schema.optional(
                "startsLocally", .flag,
                "The phone starts the activity itself: none is started by push unless its token stays away."),
            Schema.optional("teamId", .text(.number), "The side the user is for; left out keeps what is known."),
            Schema.optional("alerts", .choice(of: AlertLevel.self), "all, unless said otherwise."),
        ], isOptional: true)

    let fields: FieldReader

    init(_ fields: FieldReader) { self.fields = fields }

    func request(for match: MatchID) throws -> FollowRequest {
        FollowRequest(
            matchId: match, deviceId: try fields.identifier("deviceId", as: DeviceID.self),
            startsLocally: try fields.flag("startsLocally"), teamId: try fields.text("teamId"),
            alerts: try fields.choice("alerts", of: AlertLevel.self))
    }
}

extension UnfollowRequest: RequestBody {
    static let body = Operation.Body(name: "UnfollowRequest", fields: [matchID])

    init(_ fields: FieldReader) throws {
        self.init(matchId: try FieldReader.required("matchId", fields.matchID("matchId")))
    }
}

private struct NoFields: RequestBody {
    static let body = Operation.Body(name: "Nothing", fields: [], isOptional: true)

    init(_ fields: FieldReader) {}
}

private struct FollowChange: RequestBody {
    static let body = Operation.Body(
        name: "FollowChange",
        fields: [
            Schema.optional("teamId", .text(.number), "Null: for neither side."),
            Schema.optional("alerts", .choice(of: AlertLevel.self)),
        ])

    let change: FollowStore.Change

    init(_ fields: FieldReader) throws {
        change = FollowStore.Change(
            team: try TeamChange(fields).change.team, alerts: try fields.choice("alerts", of: AlertLevel.self))
    }
}

private struct TeamChange: RequestBody {
    static let body = Operation.Body(
        name: "TeamChange",
        fields: [Schema.required("teamId", .text(.number), "Null: for neither side.", acceptsNull: true)])

    let change: FollowStore.Change

    init(_ fields: FieldReader) throws {
        let team = try fields.text("teamId")
        change = FollowStore.Change(team: team.map { .team($0) } ?? (fields.isNull("teamId") ? .none : .keep))
    }
}
