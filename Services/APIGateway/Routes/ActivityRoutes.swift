import Activities
import Logging
import NIOConcurrencyHelpers
import SightscreenModels
import Store
/// The calls by which a phone reports its Live Activities.
struct ActivityRoutes: Sendable {
    let activities: ActivityTokenStore
    let reports: ActivityReportStore
    let gate: RateGate
    let answers = StateReplies()
    let notifier: any CoordinatorNotifier

    var routes: [Route] {
        [
            Route(
                "POST", "/matches/:id/activity-token", .users,
                Operation(
                    id: "registerActivityToken", summary: "Report a Live Activity's update token.", tag: .activities,
                    body: ActivityTokenRequest.body,
                    answer: .ok("Activity", "The activity gets every version from now on, or an end."),
                    accepted:
                        "It is another user's token, and nothing has changed: it goes with the phone's device token.",
                    refusals: [.unknownMatch, .notFollowing, .deviceRequired, .limitReached, .tokenOfAnotherKind],
                    limit: .registrations), registerToken),
            Route(
                "POST", "/matches/:id/activity", .users,
                Operation(
                    id: "reportActivity", summary: "Report a Live Activity that listens to a broadcast channel.",
                    tag: .activities,
                    answer: .ok("ActivityReported", "Whether it is to stay."),
                    refusals: [.unknownMatch, .deviceRequired, .limitReached], limit: .registrations), taking: report),
            Route(
                "POST", "/matches/:id/activity-dismissed", .users,
                Operation(
                    id: "reportDismissal", summary: "Report that the user has removed a Live Activity.",
                    tag: .activities,
                    answer: .ok("Unfollowed", "Removing the current one unfollows the match."),
                    refusals: [.unknownMatch, .deviceRequired], limit: .registrations), taking: dismiss),
        ]
    }

    @Sendable private func registerToken(_ request: GatewayRequest) async throws -> Reply {
        try gate.checkRefusedRegistrations(of: request.caller)
        try gate.checkBadTokens(of: request.caller)
        let match = try request.matchID
        let registered = try await activities.register(
            try ActivityTokenRequest(request.fields), match: match, user: request.user)
        if Self.changedNothing(registered) { gate.noteRefusedRegistration(of: request.caller) }
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
            return try answers.reply(.ended, of: match, registered.contentState)
        case .wait:
            let answer = ActivityTokenResponse(liveActivity: .unavailable, displayState: nil, waitsFor: .deviceToken)
            return try Reply.json(answer, status: 202)
        case .activate, .rotate, .keep, .adopt, .replace:
            return try answers.reply(.active, of: match, registered.contentState)
        }
    }

    /// Whether the report led to nothing but perhaps an end. An end that is on its way already does not count, because
    /// it costs no further push. A rotation counts: ActivityKit replaces a token within hours, only a client that
    /// invents tokens does so at once.
    private static func changedNothing(_ registered: ActivityTokenStore.Registered) -> Bool {
        switch registered.action {
        case .refuse, .pass, .rotate, .wait: true
        case .end: !registered.changedMatches.isEmpty
        case .activate, .keep, .adopt, .replace: false
        }
    }

    @Sendable private func report(
        _ request: GatewayRequest, _ report: ActivityReport
    ) async throws -> ActivityReportResponse {
        try gate.checkRefusedRegistrations(of: request.caller)
        let match = try request.matchID
        let outlook = try await reports.report(report, match: match, user: request.user)
        if outlook != .active { gate.noteRefusedRegistration(of: request.caller) }
        guard let outlook else { throw Problem(.unknownMatch) }
        return ActivityReportResponse(liveActivity: outlook)
    }

    @Sendable private func dismiss(
        _ request: GatewayRequest, _ report: ActivityDismissedRequest
    ) async throws -> UnfollowResponse {
        let match = try request.matchID
        let (isFollowing, action) = try await activities.dismiss(report, match: match, user: request.user)
        request.logger.debug("Activity dismissed", metadata: ["match.id": "\(match)", "action": "\(action)"])
        await notifier.notify(of: [match])
        return UnfollowResponse(following: isFollowing)
    }
}
/// Answers to activity tokens, with the state of the match. Each answer is encoded once, so that a stampede shares one
/// encoding.
final class StateReplies: Sendable {
    private struct Question: Hashable {
        var activity: LiveActivityOutlook
        var match: MatchID
        /// The version of the state; nil if there is no state.
        var version: Int?
    }

    /// The bound is more versions than come while one answer is in flight.
    private static let repliesMax = 256

    private let replies = NIOLockedValueBox<[Question: Reply]>([:])

    func reply(_ activity: LiveActivityOutlook, of match: MatchID, _ state: ContentState?) throws -> Reply {
        let question = Question(activity: activity, match: match, version: state?.version)
        if let known = replies.withLockedValue({ $0[question] }) { return known }
        let reply = try Reply.json(ActivityTokenResponse(liveActivity: activity, displayState: state))
        replies.withLockedValue { replies in
            if replies.count >= Self.repliesMax { replies = [:] }
            replies[question] = reply
        }
        return reply
    }
}

extension ActivityTokenRequest: RequestBody {
    static let body = Operation.Body(
        name: "ActivityTokenRequest",
        fields: [
            Schema.optional("activityToken", .text(.pushToken), "The activity's update token.", acceptsNull: false),
            Schema.optional("token", .text(.pushToken), "Another name of activityToken.", acceptsNull: false),
            Schema.optional("startId", .text(.identifier), "From the activity's attributes, when a push started it."),
        ] + which, exactlyOne: ["activityToken", "token"])

    fileprivate static let which = [
        Schema.optional("deviceId", .text(.identifier), "May be left out by users of one phone."),
        Schema.optional("activityId", .text(.identifier), "ActivityKit's id of the activity."),
    ]

    init(_ fields: FieldReader) throws {
        let token = try fields.token("activityToken", as: UpdateToken.self)
        self.init(
            activityToken: try FieldReader.required(
                "activityToken", token ?? fields.token("token", as: UpdateToken.self)),
            deviceId: try fields.identifier("deviceId", as: DeviceID.self),
            activityId: try fields.identifier("activityId", as: ActivityID.self),
            startId: try fields.identifier("startId", as: StartID.self))
    }
}

extension ActivityReport: RequestBody {
    static let body = Operation.Body(
        name: "ActivityReport",
        fields: [
            Schema.required("activityId", .text(.identifier), "ActivityKit's id of the activity."),
            Schema.required("channelId", .text(.shortText), "The channel that it listens to, one of the match's."),
            Schema.optional("deviceId", .text(.identifier), "May be left out by users of one phone."),
            Schema.optional("startId", .text(.identifier), "From the activity's attributes, when a push started it."),
        ])

    init(_ fields: FieldReader) throws {
        self.init(
            activityId: try FieldReader.required(
                "activityId", fields.identifier("activityId", as: ActivityID.self)),
            channelId: ChannelID(try FieldReader.required("channelId", fields.text("channelId"))),
            deviceId: try fields.identifier("deviceId", as: DeviceID.self),
            startId: try fields.identifier("startId", as: StartID.self))
    }
}

extension ActivityDismissedRequest: RequestBody {
    static let body = Operation.Body(
        name: "ActivityDismissal",
        fields: ActivityTokenRequest.which + [Schema.optional("activityToken", .text(.pushToken))], isOptional: true)

    init(_ fields: FieldReader) throws {
        self.init(
            deviceId: try fields.identifier("deviceId", as: DeviceID.self),
            activityId: try fields.identifier("activityId", as: ActivityID.self),
            activityToken: try fields.token("activityToken", as: UpdateToken.self))
    }
}
