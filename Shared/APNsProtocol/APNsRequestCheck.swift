public import SightscreenModels

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Computes Apple's answer to a request, from the request and what is known about its token. What a phone does with the
/// payload afterwards is not part of it (`DeviceModel`): APNs answers 200 to a wrong attributes type.
///
/// Apple does not publish the order of its checks. Here it is the request's target, its sender, its headers, its
/// payload, and its token last. Nor does Apple publish its answer to a payload that is not a push; here it is
/// `PayloadEmpty`. A push type that does not match the topic is `BadTopic`, another app's topic `TopicDisallowed`.
public struct APNsRequestCheck: Sendable {
    public var bundleID: String
    public var environment: APNsEnvironment
    public var providerToken: ProviderTokenCheck

    package init(bundleID: String, environment: APNsEnvironment, providerToken: ProviderTokenCheck) {
        self.bundleID = bundleID
        self.environment = environment
        self.providerToken = providerToken
    }

    /// - Parameters:
    ///   - token: what is known about the token in the path; nil when nothing is.
    ///   - now: seconds since 1970.
    public func answer(to request: APNsRequest, token: RegisteredToken?, now: Int) -> APNsAnswer {
        if let reason = refusalOfTarget(request) ?? refusalOfSender(request, now: now) { return APNsAnswer(reason) }
        return answerToAuthorized(request, token: token)
    }

    /// The first part of `answer`: returns why the method or the path is refused; nil when it is not.
    public func refusalOfTarget(_ request: APNsRequest) -> APNsReason? {
        guard let token = request.token else { return .badPath }
        guard request.method == "POST" else { return .methodNotAllowed }
        return token.isEmpty ? .missingDeviceToken : nil
    }

    /// The second part of `answer`: returns why the sender may not push; nil when it may.
    public func refusalOfSender(_ request: APNsRequest, now: Int) -> APNsReason? {
        providerToken.refusal(of: request.field("authorization"), now: now)
    }

    /// The last part of `answer`, for a request to a device by a sender who may push.
    public func answerToAuthorized(_ request: APNsRequest, token: RegisteredToken?) -> APNsAnswer {
        let refusal = refusalOfHeaders(request) ?? refusalOfPayload(request.body)
        if let refusal { return APNsAnswer(refusal) }
        guard let token else { return APNsAnswer(.badDeviceToken) }
        let isLiveActivity = request.field("apns-push-type") == APNsPushType.liveactivity.rawValue
        return answer(
            toToken: token.kind, of: token.environment, deletedAtMs: token.deletedAtMs, isLiveActivity: isLiveActivity)
    }

    /// The end of the last part: answers a correct request by what is known about its token.
    public func answer(
        toToken kind: PushTokenKind, of environment: APNsEnvironment, deletedAtMs: Int64?, isLiveActivity: Bool
    ) -> APNsAnswer {
        guard environment == self.environment else { return APNsAnswer(.badDeviceToken) }
        guard kind.isForLiveActivities == isLiveActivity else { return APNsAnswer(.deviceTokenNotForTopic) }
        if let deletedAtMs { return APNsAnswer(.unregistered, timestampMs: deletedAtMs) }
        return .accepted
    }

    /// Returns why the header fields other than `authorization` are refused; nil when they are not.
    public func refusalOfHeaders(_ request: APNsRequest) -> APNsReason? {
        var seen: Set<String> = []
        for field in request.fields where field.name.hasPrefix("apns-") || field.name == "authorization" {
            guard seen.insert(field.name).inserted else { return .duplicateHeaders }
        }
        if let id = request.field("apns-id"), !Self.isUUID(id) { return .badMessageID }
        guard let pushType = request.field("apns-push-type").flatMap(APNsPushType.init(rawValue:)) else {
            return .invalidPushType
        }
        return refusalOfTopic(request.field("apns-topic"), for: pushType)
            ?? refusalOfPriority(request.field("apns-priority"), for: pushType)
            ?? refusalOfExpiration(request.field("apns-expiration"))
            ?? ((request.field("apns-collapse-id")?.utf8.count ?? 0) > 64 ? .badCollapseID : nil)
    }

    private func refusalOfTopic(_ topic: String?, for pushType: APNsPushType) -> APNsReason? {
        guard let topic, !topic.isEmpty else { return .missingTopic }
        let app = APNsTopic.app(bundleID: bundleID).text
        let activities = APNsTopic.liveActivity(bundleID: bundleID).text
        if topic == (pushType == .liveactivity ? activities : app) { return nil }
        let isTopic = topic.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"):
                true
            default: false
            }
        }
        return topic == app || topic == activities || !isTopic ? .badTopic : .topicDisallowed
    }

    private func refusalOfPriority(_ text: String?, for pushType: APNsPushType) -> APNsReason? {
        // An absent priority means 10.
        guard let priority = Self.integer(text ?? "10").flatMap(APNsPriority.init(rawValue:)) else {
            return .badPriority
        }
        return pushType == .background && priority == .immediate ? .badPriority : nil
    }

    private func refusalOfExpiration(_ text: String?) -> APNsReason? {
        guard let text else { return nil }
        return Self.integer(text) == nil ? .badExpirationDate : nil
    }

    public func refusalOfPayload(_ body: [UInt8]) -> APNsReason? {
        if body.isEmpty { return .payloadEmpty }
        if body.count > PushPayload.bytesMax { return .payloadTooLarge }
        return Self.isPush(body) ? nil : .payloadEmpty
    }

    /// Whether these bytes are a JSON object with an object `aps`.
    public static func isPush(_ body: [UInt8]) -> Bool {
        struct Push: Decodable {
            struct APS: Decodable {
                struct Key: CodingKey {
                    var stringValue: String
                    var intValue: Int? { nil }
                    init?(stringValue: String) { self.stringValue = stringValue }
                    init?(intValue: Int) { nil }
                }
                init(from decoder: any Decoder) throws { _ = try decoder.container(keyedBy: Key.self) }
            }
            var aps: APS
        }
        return (try? JSONDecoder().decode(Push.self, from: Data(body))) != nil
    }

    /// Parses digits only: no sign, no fraction.
    private static func integer(_ text: String) -> Int? {
        text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ? Int(text) : nil
    }

    /// Whether a text is a UUID in its canonical form, 8-4-4-4-12.
    private static func isUUID(_ text: String) -> Bool { text.utf8.count == 36 && UUID(uuidString: text) != nil }
}
