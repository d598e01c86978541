import Messages
import Sightscreen
import Store

/// The user's phones and the tokens that reach them.
struct DeviceRoutes: Sendable {
    let devices: DeviceStore
    let bell: any CoordinatorBell

    var routes: [Route] {
        [
            Route("POST", "/devices", .users, register),
            Route("POST", "/devices/push-to-start-token", .users, registerStartToken),
            Route("DELETE", "/devices/:deviceToken", .users, unregister),
        ]
    }

    @Sendable private func register(_ request: GatewayRequest) async throws -> Reply {
        var fields = try await request.fields()
        let forgetsToken = fields.isNull("deviceToken")
        let registration = DeviceRegistration(
            deviceId: try FieldReader.required("deviceId", fields.identifier("deviceId", as: DeviceID.self)),
            platform: try FieldReader.required("platform", fields.choice("platform", of: Platform.self)).rawValue,
            deviceToken: try fields.token("deviceToken", as: DeviceToken.self),
            osVersion: try fields.shortText("osVersion"), appVersion: try fields.shortText("appVersion"),
            environment: try fields.choice("environment", of: PushEnvironment.self),
            liveActivitiesEnabled: try fields.flag("liveActivitiesEnabled"),
            frequentPushesEnabled: try fields.flag("frequentPushesEnabled"),
            activities: try fields.objects("activities", max: GatewayLimits.runningActivitiesMax)?.map(Self.activity))
        try fields.finish()
        let change: DeviceStore.TokenChange =
            registration.deviceToken.map { .set($0) } ?? (forgetsToken ? .forget : .keep)
        let registered = try await devices.register(registration, token: change, user: request.user)
        return try await answer(registered)
    }

    @Sendable private func registerStartToken(_ request: GatewayRequest) async throws -> Reply {
        var fields = try await request.fields()
        let registration = PushToStartRegistration(
            pushToStartToken: try FieldReader.required(
                "pushToStartToken", fields.token("pushToStartToken", as: PushToStartToken.self)),
            deviceId: try fields.identifier("deviceId", as: DeviceID.self))
        try fields.finish()
        return try await answer(try await devices.register(registration, user: request.user))
    }

    @Sendable private func unregister(_ request: GatewayRequest) async throws -> Reply {
        // A name of another form was never registered: there is nothing to remove.
        guard let name = request.parameters["deviceToken"], Identifier.isValid(name) || Identifier.isToken(name) else {
            return .noContent
        }
        await bell.ring(for: try await devices.unregister(name, user: request.user))
        return .noContent
    }

    private func answer(_ registered: DeviceStore.Registered) async throws -> Reply {
        await bell.ring(for: registered.changedMatches)
        return try Reply.json(
            DeviceResponse(deviceId: registered.device, liveActivitiesCapable: registered.isCapable))
    }

    private static func activity(_ reader: FieldReader) throws -> RunningActivity {
        var fields = reader
        let activity = RunningActivity(
            matchId: try FieldReader.required("matchId", fields.matchID("matchId")),
            activityId: try fields.identifier("activityId", as: ActivityID.self),
            startId: try fields.identifier("startId", as: StartID.self))
        try fields.finish()
        return activity
    }

    private enum Platform: String, CaseIterable { case ios, ipados }
}
