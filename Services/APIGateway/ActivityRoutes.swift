import Activities
import Logging
import Messages
import Sightscreen
import Store

/// What a phone reports of its Live Activities.
struct ActivityRoutes: Sendable {
    let activities: ActivityTokenStore
    let bell: any CoordinatorBell

    var routes: [Route] {
        [
            Route("POST", "/matches/:id/activity-token", .users, registerToken),
            Route("POST", "/matches/:id/activity-dismissed", .users, dismiss),
        ]
    }

    @Sendable private func registerToken(_ request: GatewayRequest) async throws -> Reply {
        let match = try request.matchID
        var fields = try await request.fields()
        let long = try fields.token("activityToken", as: UpdateToken.self)
        let short = try fields.token("token", as: UpdateToken.self)
        guard long == nil || short == nil || long == short else {
            throw Problem.field("token", "is another name of activityToken, and they differ")
        }
        let report = ActivityTokenRequest(
            activityToken: try FieldReader.required("activityToken", long ?? short),
            deviceId: try fields.identifier("deviceId", as: DeviceID.self),
            activityId: try fields.identifier("activityId", as: ActivityID.self),
            startId: try fields.identifier("startId", as: StartID.self))
        try fields.finish()
        let registered = try await activities.register(report, match: match, user: request.user)
        await bell.ring(for: registered.changedMatches)
        switch registered.action {
        case .refuse:
            throw Problem(.notFollowing, "an end is sent to the activity")
        case .end:
            return try Reply.json(ActivityTokenResponse(liveActivity: .ended, displayState: registered.contentState))
        case .activate, .rotate, .keep, .adopt, .replace:
            return try Reply.json(ActivityTokenResponse(liveActivity: .active, displayState: registered.contentState))
        }
    }

    @Sendable private func dismiss(_ request: GatewayRequest) async throws -> Reply {
        let match = try request.matchID
        var fields = try await request.fields(optional: true)
        let report = ActivityDismissedRequest(
            deviceId: try fields.identifier("deviceId", as: DeviceID.self),
            activityId: try fields.identifier("activityId", as: ActivityID.self),
            activityToken: try fields.token("activityToken", as: UpdateToken.self))
        try fields.finish()
        let (isFollowing, action) = try await activities.dismiss(report, match: match, user: request.user)
        request.logger.debug("Activity dismissed", metadata: ["match.id": "\(match)", "action": "\(action)"])
        await bell.ring(for: [match])
        return try Reply.json(UnfollowResponse(following: isFollowing))
    }
}
