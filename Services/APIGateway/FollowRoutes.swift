import Messages
import Sightscreen
import Store

/// Following and unfollowing.
struct FollowRoutes: Sendable {
    let follows: FollowStore
    let bell: any CoordinatorBell

    var routes: [Route] {
        [
            Route("POST", "/user/follow/match") { try await follow($0, match: nil) },
            Route("DELETE", "/user/follow/match") { request in
                var fields = try await request.fields()
                let match = try FieldReader.required("matchId", fields.matchID("matchId"))
                try fields.finish()
                return try await unfollow(request, match)
            },
            Route("DELETE", "/user/follow/match/:id") { try await unfollow($0, $0.matchID) },
            Route("PATCH", "/user/follow/match/:id") { try await change($0, teamOnly: false) },
            Route("PATCH", "/user/follow/match/:id/team") { try await change($0, teamOnly: true) },
            Route("GET", "/user/follows") { request in
                try Reply.json(FollowsResponse(follows: try await follows.follows(of: request.user)))
            },
            Route("POST", "/matches/:id/follow") { try await follow($0, match: $0.matchID) },
            Route("POST", "/matches/:id/unfollow") { request in
                let match = try request.matchID
                let fields = try await request.fields(optional: true)
                try fields.finish()
                return try await unfollow(request, match)
            },
        ]
    }

    /// - Parameter match: from the path; nil when the body names it.
    private func follow(_ request: GatewayRequest, match: MatchID?) async throws -> Reply {
        var fields = try await request.fields(optional: match != nil)
        let named = match == nil ? try fields.matchID("matchId") : match
        let wish = FollowRequest(
            matchId: try FieldReader.required("matchId", named),
            deviceId: try fields.identifier("deviceId", as: DeviceID.self),
            startsLocally: try fields.flag("startsLocally"), teamId: try fields.teamID("teamId"),
            alerts: try fields.choice("alerts", of: AlertLevel.self))
        try fields.finish()
        let answer = try await follows.follow(wish, user: request.user)
        await bell.ring(for: [wish.matchId])
        return try Reply.json(answer)
    }

    private func unfollow(_ request: GatewayRequest, _ match: MatchID) async throws -> Reply {
        try await follows.unfollow(match, user: request.user)
        await bell.ring(for: [match])
        return try Reply.json(UnfollowResponse(following: false))
    }

    private func change(_ request: GatewayRequest, teamOnly: Bool) async throws -> Reply {
        let match = try request.matchID
        var fields = try await request.fields()
        var change = FollowStore.Change()
        if let team = try fields.teamID("teamId") {
            change.team = .team(team)
        } else if fields.isNull("teamId") {
            change.team = .none
        }
        if teamOnly {
            guard change.team != .keep else { throw Problem.field("teamId", "is required") }
        } else {
            change.alerts = try fields.choice("alerts", of: AlertLevel.self)
        }
        try fields.finish()
        guard let item = try await follows.change(match, user: request.user, change) else {
            throw Problem(.notFollowing)
        }
        return try Reply.json(item)
    }
}
