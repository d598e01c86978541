import Activities
import Logging
import SightscreenModels
import Store

/// What a phone reports of its Live Activities.
struct ActivityRoutes: Sendable {
    let activities: ActivityTokenStore
    let gate: RateGate
    let bell: any CoordinatorBell

    private static let which = [
        Schema.optional("deviceId", .text(.identifier), "May be left out by users of one phone."),
        Schema.optional("activityId", .text(.identifier), "ActivityKit's id of the activity."),
    ]

    static let tokenBody = Operation.Body(
        name: "ActivityTokenRequest",
        fields: [
            Schema.optional("activityToken", .text(.pushToken), "The activity's update token.", acceptsNull: false),
            Schema.optional("token", .text(.pushToken), "Another name of activityToken.", acceptsNull: false),
            Schema.optional("startId", .text(.identifier), "From the activity's attributes, when a push started it."),
        ] + which, exactlyOne: ["activityToken", "token"])

    private static let dismissal = Operation.Body(
        name: "ActivityDismissal", fields: which + [Schema.optional("activityToken", .text(.pushToken))],
        isOptional: true)

    var routes: [Route] {
        [
            Route(
                "POST", "/matches/:id/activity-token", .users,
                Operation(
                    id: "registerActivityToken", summary: "Report a Live Activity's update token.", tag: .activities,
                    body: Self.tokenBody,
                    answer: .ok("Activity", "The activity gets every version from now on, or an end."),
                    refusals: [.unknownMatch, .notFollowing, .deviceRequired, .limitReached], limit: .registrations),
                registerToken),
            Route(
                "POST", "/matches/:id/activity-dismissed", .users,
                Operation(
                    id: "reportDismissal", summary: "Report that the user has removed a Live Activity.",
                    tag: .activities, body: Self.dismissal,
                    answer: .ok("Unfollowed", "Removing the current one unfollows the match."),
                    refusals: [.unknownMatch, .deviceRequired], limit: .registrations), dismiss),
        ]
    }

    @Sendable private func registerToken(_ request: GatewayRequest) async throws -> Reply {
        try gate.checkRefusedRegistrations(of: request.caller)
        try gate.checkBadTokens(of: request.caller)
        let match = try request.matchID
        let fields = request.fields
        let token = try fields.token("activityToken", as: UpdateToken.self)
        let report = ActivityTokenRequest(
            activityToken: try FieldReader.required(
                "activityToken", token ?? fields.token("token", as: UpdateToken.self)),
            deviceId: try fields.identifier("deviceId", as: DeviceID.self),
            activityId: try fields.identifier("activityId", as: ActivityID.self),
            startId: try fields.identifier("startId", as: StartID.self))
        let registered = try await activities.register(report, match: match, user: request.user)
        if Self.isInVain(registered) { gate.noteRefusedRegistration(of: request.caller) }
        await bell.ring(for: registered.changedMatches)
        switch registered.action {
        case .refuse:
            throw Problem(.notFollowing, "an end is sent to the activity")
        case .pass(.unknownMatch):
            throw Problem(.unknownMatch)
        case .pass(.notFollowed):
            throw Problem(.notFollowing, "nothing is sent to the activity")
        case .pass(.tooManyEnds):
            throw LimitReached(.owedEnds)
        case .pass(.tooManyGenerations):
            throw LimitReached(.activities)
        case .end, .pass(.anothersToken):
            return Self.answer(.ended, registered.contentState)
        case .activate, .rotate, .keep, .adopt, .replace:
            return Self.answer(.active, registered.contentState)
        }
    }

    /// Nothing came of it, or nothing but an end; one that is on its way already costs no other push. And another token for
    /// an activity that has one: ActivityKit replaces a token in hours, who invents them at once.
    private static func isInVain(_ registered: ActivityTokenStore.Registered) -> Bool {
        switch registered.action {
        case .refuse, .pass, .rotate: true
        case .end: !registered.changedMatches.isEmpty
        case .activate, .keep, .adopt, .replace: false
        }
    }

    /// `ActivityTokenResponse`, put together from a state that was encoded once for everybody.
    static func answer(_ activity: LiveActivityOutlook, _ state: ShownState?) -> Reply {
        var body: [UInt8] = []
        body.reserveCapacity(64 + (state?.json.count ?? 0))
        body.append(UInt8(ascii: "{"))
        if let state {
            body.append(contentsOf: #""displayState":"#.utf8)
            body.append(contentsOf: state.json)
            body.append(UInt8(ascii: ","))
        }
        body.append(contentsOf: #""liveActivity":"\#(activity.rawValue)"}"#.utf8)
        return Reply(
            status: 200, body: body, headers: ["Content-Type": "application/json", "Cache-Control": "no-store"])
    }

    @Sendable private func dismiss(_ request: GatewayRequest) async throws -> Reply {
        let match = try request.matchID
        let fields = request.fields
        let report = ActivityDismissedRequest(
            deviceId: try fields.identifier("deviceId", as: DeviceID.self),
            activityId: try fields.identifier("activityId", as: ActivityID.self),
            activityToken: try fields.token("activityToken", as: UpdateToken.self))
        let (isFollowing, action) = try await activities.dismiss(report, match: match, user: request.user)
        request.logger.debug("Activity dismissed", metadata: ["match.id": "\(match)", "action": "\(action)"])
        await bell.ring(for: [match])
        return try Reply.json(UnfollowResponse(following: isFollowing))
    }
}
