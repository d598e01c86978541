import SightscreenModels

/// Computes Apple's answer to a push to one device, from the request and what is known about its token. What a phone
/// does with the payload afterwards is not part of it (`DeviceModel`): APNs answers 200 to a wrong attributes type.
///
/// Apple does not publish the order of its checks. Here it is the request's target, its sender, its headers, its
/// payload, and its token last. Nor does Apple publish its answer to a payload that is not a push; here it is
/// `PayloadEmpty`. A push type that does not match the topic is `BadTopic`, another app's topic `TopicDisallowed`.
struct PushCheck: Sendable {
    /// Apple's limit for pushes to one device, uncompressed.
    static let payloadBytesMax = 4_096
    static let collapseIDBytesMax = 64
    /// The priority of a push that names none, which is also the highest.
    static let immediate = 10
    static let priorities: Set<Int> = [1, 5, immediate]
    static let liveActivitySuffix = ".push-type.liveactivity"

    var bundleID: String
    var environment: APNsEnvironment
    var providerToken: ProviderTokenCheck

    /// - Parameters:
    ///   - token: what is known about the token in the path; nil when nothing is.
    ///   - now: seconds since 1970.
    func answer(to request: IncomingRequest, token: RegisteredToken?, now: Int) -> SimulatorAnswer {
        if let refusal = refusalOfTarget(request) ?? refusalOfSender(request, now: now) {
            return SimulatorAnswer(refusal)
        }
        return answerToAuthorized(request, token: token)
    }

    /// The first part of `answer`: returns why the method or the path is refused; nil when it is not.
    func refusalOfTarget(_ request: IncomingRequest) -> Refusal? {
        guard let token = request.token else { return .badPath }
        guard request.method == "POST" else { return .methodNotAllowed }
        return token.isEmpty ? .missingDeviceToken : nil
    }

    /// The second part of `answer`: returns why the sender may not push; nil when it may.
    func refusalOfSender(_ request: IncomingRequest, now: Int) -> Refusal? {
        providerToken.refusal(of: request.field("authorization"), now: now)
    }

    /// The last part of `answer`, for a request to a device by a sender who may push.
    func answerToAuthorized(_ request: IncomingRequest, token: RegisteredToken?) -> SimulatorAnswer {
        let refusal = refusalOfHeaders(request) ?? Self.refusalOfPayload(request.body, PayloadFacts(request.body))
        if let refusal { return SimulatorAnswer(refusal) }
        guard let token else { return SimulatorAnswer(.badDeviceToken) }
        let isLiveActivity = request.field("apns-push-type") == PushType.liveActivity.rawValue
        return answer(
            toToken: token.kind, of: token.environment, bundle: token.bundle, deletedAtMs: token.deletedAtMs,
            isLiveActivity: isLiveActivity)
    }

    /// The end of the last part: answers a correct request by what is known about its token. The topic is known to be
    /// of the simulator's own app.
    /// - Parameter bundle: the app that the token is of; nil: the simulator's own.
    func answer(
        toToken kind: PushTokenKind, of environment: APNsEnvironment, bundle: String?, deletedAtMs: Int64?,
        isLiveActivity: Bool
    ) -> SimulatorAnswer {
        guard environment == self.environment else { return SimulatorAnswer(.badDeviceToken) }
        guard bundle == nil || bundle == bundleID, kind.isForLiveActivities == isLiveActivity else {
            return SimulatorAnswer(.deviceTokenNotForTopic)
        }
        if let deletedAtMs { return SimulatorAnswer(.unregistered, timestampMs: deletedAtMs) }
        return .accepted
    }

    /// Returns why the header fields other than `authorization` are refused; nil when they are not.
    func refusalOfHeaders(_ request: IncomingRequest) -> Refusal? {
        if request.hasDuplicates { return .duplicateHeaders }
        if let id = request.field("apns-id"), !FieldSyntax.isUUID(id) { return .badMessageID }
        guard let pushType = request.field("apns-push-type").flatMap(PushType.init(rawValue:)) else {
            return .invalidPushType
        }
        return refusalOfTopic(request.field("apns-topic"), for: pushType)
            ?? refusalOfPriority(request.field("apns-priority"), for: pushType)
            ?? refusalOfExpiration(request.field("apns-expiration"))
            ?? ((request.field("apns-collapse-id")?.utf8.count ?? 0) > Self.collapseIDBytesMax ? .badCollapseID : nil)
    }

    private func refusalOfTopic(_ topic: String?, for pushType: PushType) -> Refusal? {
        guard let topic, !topic.isEmpty else { return .missingTopic }
        let activities = bundleID + Self.liveActivitySuffix
        if topic == (pushType == .liveActivity ? activities : bundleID) { return nil }
        return topic == bundleID || topic == activities || !FieldSyntax.isName(topic) ? .badTopic : .topicDisallowed
    }

    private func refusalOfPriority(_ text: String?, for pushType: PushType) -> Refusal? {
        guard let text else { return pushType == .background ? .badPriority : nil }
        guard let priority = FieldSyntax.integer(text), Self.priorities.contains(priority) else {
            return .badPriority
        }
        return pushType == .background && priority == Self.immediate ? .badPriority : nil
    }

    private func refusalOfExpiration(_ text: String?) -> Refusal? {
        guard let text else { return nil }
        return FieldSyntax.integer(text) == nil ? .badExpirationDate : nil
    }

    /// - Parameter facts: the body's facts; nil when it is not a push.
    static func refusalOfPayload(_ body: [UInt8], _ facts: PayloadFacts?) -> Refusal? {
        if body.isEmpty { return .payloadEmpty }
        if body.count > payloadBytesMax { return .payloadTooLarge }
        return facts == nil ? .payloadEmpty : nil
    }
}
