import SightscreenModels
import Store

/// The calls about a user's phones and the tokens that reach them.
struct DeviceRoutes: Sendable {
    let devices: DeviceStore
    let gate: RateGate
    let notifier: any CoordinatorNotifier

    var routes: [Route] {
        [
            Route(
                "POST", "/devices", .users,
                Operation(
                    id: "registerDevice", summary: "Register a phone, or renew what is known of it.", tag: .devices,
                    answer: .ok(
                        "Device", "It is registered; a token that another phone of the user's had is its own now."),
                    accepted:
                        "It is registered but for the device token: that is another user's until the phone confirms it.",
                    refusals: [.limitReached, .tokenOfAnotherKind], limit: .registrations), taking: register),
            Route(
                "POST", "/devices/confirm", .users,
                Operation(
                    id: "confirmDevice", summary: "Echo the nonce that a silent push brought.", tag: .devices,
                    answer: .nothing("The phone is the caller's; other users' claims to it are refused."),
                    refusals: [.notFound, .deviceRequired], limit: .registrations
                ).taking(DeviceConfirmation.body), confirm),
            Route(
                "POST", "/devices/push-to-start-token", .users,
                Operation(
                    id: "registerPushToStartToken", summary: "Register the token that starts Live Activities.",
                    tag: .devices, answer: .ok("Device", "It is registered."),
                    accepted:
                        "It is another user's token, and nothing has changed: it goes with the phone's device token.",
                    refusals: [.deviceRequired, .limitReached, .tokenOfAnotherKind], limit: .registrations),
                taking: registerStartToken),
            Route(
                "DELETE", "/devices/:deviceToken", .users,
                Operation(
                    id: "unregisterDevice", summary: "Unregister a phone by its id or one of its tokens.",
                    tag: .devices, answer: .nothing("Nothing is sent to it any more, if it ever was."),
                    limit: .registrations), unregister),
        ]
    }

    @Sendable private func register(
        _ request: GatewayRequest, _ registration: DeviceRegistration
    ) async throws -> DeviceResponse {
        if registration.deviceToken != nil { try gate.checkBadTokens(of: request.caller) }
        let change: DeviceStore.TokenChange =
            registration.deviceToken.map { .set($0) } ?? (request.fields.isNull("deviceToken") ? .forget : .keep)
        let registered = try await devices.register(registration, token: change, user: request.user)
        return await answer(registered, cards: registered.cards)
    }

    @Sendable private func registerStartToken(
        _ request: GatewayRequest, _ registration: PushToStartRegistration
    ) async throws -> DeviceResponse {
        try gate.checkBadTokens(of: request.caller)
        return await answer(try await devices.register(registration, user: request.user))
    }

    @Sendable private func unregister(_ request: GatewayRequest) async throws -> Reply {
        guard let name = request.parameters["deviceToken"], TextForm.deviceName.accepts(name) else {
            throw Problem.field("deviceToken", "must be \(TextForm.deviceName.wanted)")
        }
        await notifier.notify(of: try await devices.unregister(name, user: request.user))
        return .noContent
    }

    private func answer(_ registered: DeviceStore.Registered, cards: DeviceStore.Cards? = nil) async -> DeviceResponse {
        await notifier.notify(of: registered.changedMatches)
        let (wanted, gone) = (cards?.tokensWanted ?? [], cards?.gone ?? [])
        return DeviceResponse(
            deviceId: registered.device, liveActivitiesCapable: registered.isCapable, end: cards?.end,
            tokensWanted: wanted.isEmpty ? nil : wanted, gone: gone.isEmpty ? nil : gone,
            waitsFor: registered.waitsFor)
    }

    @Sendable private func confirm(_ request: GatewayRequest) async throws -> Reply {
        let confirmation = try DeviceConfirmation(request.fields)
        guard let changed = try await devices.confirm(confirmation, user: request.user) else {
            throw Problem(.notFound)
        }
        await notifier.notify(of: changed)
        return .noContent
    }
}
/// The platforms that the app runs on.
enum Platform: String, CaseIterable { case ios, ipados }

extension DeviceRegistration: RequestBody {
    /// The allowed moments, in seconds since 1970: up to the year 2100.
    fileprivate static let seconds = 0...4_102_444_800

    static let body = Operation.Body(
        name: "DeviceRegistration",
        fields: [
            Schema.required("deviceId", .text(.identifier), "identifierForVendor, or another name that stays."),
            Schema.required("platform", .choice(of: Platform.self)),
            Schema.optional(
                "deviceToken", .text(.pushToken), "For ordinary notifications. Left out: stays; null: forgotten."),
            Schema.optional("osVersion", .text(.shortText)), Schema.optional("appVersion", .text(.shortText)),
            Schema.optional(
                "environment", .choice(of: APNsEnvironment.self),
                "Which APNs host the phone's tokens belong to; production if never said."),
            Schema.optional("liveActivitiesEnabled", .flag, "ActivityAuthorizationInfo's; true if never said."),
            Schema.optional("frequentPushesEnabled", .flag, "ActivityAuthorizationInfo's; true if never said."),
            Schema.optional(
                "broadcast", .flag, "It can listen to broadcast channels (iOS 18); false if never said."),
            Schema.optional(
                "activities", .list(.object(RunningActivity.fields), max: GatewayLimits.runningActivitiesMax),
                "All cards of the phone: what runs is not started again, and a card whose token had died is explained."),
            Schema.optional(
                "bootedAt", .integer(seconds),
                "When the phone was last restarted, or its app took all cards off: none was swiped away by that."),
        ])

    init(_ fields: FieldReader) throws {
        self.init(
            deviceId: try FieldReader.required("deviceId", fields.identifier("deviceId", as: DeviceID.self)),
            platform: try FieldReader.required("platform", fields.choice("platform", of: Platform.self)).rawValue,
            deviceToken: try fields.token("deviceToken", as: DeviceToken.self),
            osVersion: try fields.text("osVersion"), appVersion: try fields.text("appVersion"),
            environment: try fields.choice("environment", of: APNsEnvironment.self),
            liveActivitiesEnabled: try fields.flag("liveActivitiesEnabled"),
            frequentPushesEnabled: try fields.flag("frequentPushesEnabled"), broadcast: try fields.flag("broadcast"),
            activities: try fields.objects("activities")?.map { try RunningActivity($0) },
            bootedAt: try fields.integer("bootedAt"))
    }
}

extension RunningActivity {
    fileprivate static let fields = [
        Schema.required("matchId", .text(.number)), Schema.optional("activityId", .text(.identifier)),
        Schema.optional("startId", .text(.identifier)),
        Schema.optional(
            "state", .choice(of: State.self, name: "ActivityState"),
            "ActivityKit's; active if left out. dismissed: the app saw the user take it away."),
        Schema.optional("channel", .text(.shortText), "The broadcast channel that it listens to."),
        Schema.optional("pending", .flag, "It is scheduled, to appear by itself."),
        Schema.optional("lastSeen", .integer(DeviceRegistration.seconds), "When the app last saw it; now if left out."),
    ]

    fileprivate init(_ fields: FieldReader) throws {
        let isPending = try fields.flag("pending")
        self.init(
            matchId: try FieldReader.required("matchId", fields.matchID("matchId")),
            activityId: try fields.identifier("activityId", as: ActivityID.self),
            startId: try fields.identifier("startId", as: StartID.self),
            state: isPending == true ? .pending : try fields.choice("state", of: State.self),
            channel: try fields.text("channel").map { ChannelID($0) }, pending: isPending,
            lastSeen: try fields.integer("lastSeen"))
    }
}

extension DeviceConfirmation: RequestBody {
    static let body = Operation.Body(
        name: "DeviceConfirmation",
        fields: [
            Schema.required("nonce", .text(.identifier), "The silent push's `confirm`, valid for an hour."),
            Schema.optional("deviceId", .text(.identifier), "May be left out by users of one phone."),
        ])

    init(_ fields: FieldReader) throws {
        self.init(
            nonce: try FieldReader.required("nonce", fields.text("nonce")),
            deviceId: try fields.identifier("deviceId", as: DeviceID.self))
    }
}

extension PushToStartRegistration: RequestBody {
    static let body = Operation.Body(
        name: "PushToStartRegistration",
        fields: [
            Schema.required("pushToStartToken", .text(.pushToken)),
            Schema.optional("deviceId", .text(.identifier), "May be left out by users of one phone."),
        ])

    init(_ fields: FieldReader) throws {
        self.init(
            pushToStartToken: try FieldReader.required(
                "pushToStartToken", fields.token("pushToStartToken", as: PushToStartToken.self)),
            deviceId: try fields.identifier("deviceId", as: DeviceID.self))
    }
}
