/// Computes why Apple would refuse a publish to a channel, and whether it drops an accepted one in silence.
///
/// The order of the checks is that of APNSwift's test server, for Apple publishes none; what that server does not check
/// stands where it stands for pushes to devices. `apns-topic`, `apns-id` and `apns-collapse-id` are not looked at. A
/// payload that is not a push, or whose event is neither `update` nor `end`, is `BadRequestPayload`.
struct PublishCheck: Sendable {
    /// The facts about a channel id in one environment.
    enum Channel: Sendable, Hashable {
        case live(policy: Int)
        case deleted
        case unknown
    }

    static let pathPrefix: StaticString = "/4/broadcasts"
    static let payloadBytesMax = 5_120
    /// The limit, in seconds, by which `apns-expiration` or an update's timestamp may be ahead.
    static let aheadSecondsMax = 8 * 3_600
    /// Seconds for which an update's timestamp is not past. Apple says "in the past" and no more; a message takes a
    /// moment from the clock that stamps it to this one, and clocks disagree.
    static let pastSecondsMax = 15

    var bundleID: String

    /// Returns why the path or the method is refused; nil when it is not.
    func refusalOfTarget(_ request: IncomingRequest) -> Refusal? {
        guard bundle(of: request) != nil else { return .badPath }
        return request.method == "POST" ? nil : .methodNotAllowed
    }

    /// Returns why the app in the path is refused, a publish to which only its own team's tokens allow.
    func refusalOfBundle(_ request: IncomingRequest) -> Refusal? {
        bundle(of: request).map { $0 == bundleID } == true ? nil : .topicDisallowed
    }

    private func bundle(of request: IncomingRequest) -> Substring? {
        let prefix = "\(Self.pathPrefix)/apps/"
        guard request.path.hasPrefix(prefix) else { return nil }
        let bundle = request.path.dropFirst(prefix.count)
        return FieldSyntax.isName(bundle) ? bundle : nil
    }

    /// Returns why the header fields other than `authorization` are refused; nil when they are not.
    ///
    /// - Parameters:
    ///   - now: seconds since 1970.
    ///   - channel: looks up a channel id.
    func refusalOfHeaders(_ request: IncomingRequest, now: Int, _ channel: (String) -> Channel) -> Refusal? {
        if request.hasDuplicates { return .duplicateHeaders }
        if let id = request.field("apns-request-id"), !FieldSyntax.isLowerCaseUUID(id) { return .badMessageID }
        guard let id = request.field("apns-channel-id"), !id.isEmpty else { return .missingChannelID }
        guard let pushType = request.field("apns-push-type"), !pushType.isEmpty else { return .missingPushType }
        guard pushType == PushType.liveActivity.rawValue else { return .invalidPushType }
        let known = FieldSyntax.isBase64(id) ? channel(id) : .unknown
        guard let expiration = request.field("apns-expiration").flatMap({ FieldSyntax.integer($0) }) else {
            return .badExpirationDate
        }
        switch known {
        case .live(policy: 0) where expiration != 0: return .badExpirationDate
        case .live where expiration > now + Self.aheadSecondsMax: return .badExpirationDate
        case .live, .deleted, .unknown: break
        }
        if let text = request.field("apns-priority") {
            guard let priority = FieldSyntax.integer(text), PushCheck.priorities.contains(priority) else {
                return .badPriority
            }
        }
        switch known {
        case .live: return nil
        case .deleted: return .channelNotRegistered
        case .unknown: return .badChannelID
        }
    }

    /// - Parameter facts: the body's facts; nil when it is not a push.
    static func refusalOfPayload(_ body: [UInt8], _ facts: PayloadFacts?) -> Refusal? {
        if body.isEmpty { return .payloadEmpty }
        if body.count > payloadBytesMax { return .payloadTooLarge }
        return facts?.event == "update" || facts?.event == "end" ? nil : .badRequestPayload
    }

    /// Returns why an accepted publish reaches no phone; nil when it does. An `end` is never too old.
    static func drop(_ facts: PayloadFacts, now: Int) -> DeviceOutcome? {
        guard facts.event == "update" else { return nil }
        guard let timestamp = facts.timestamp else { return .notDecodable }
        if timestamp < now - pastSecondsMax { return .droppedOldTimestamp }
        return timestamp > now + aheadSecondsMax ? .droppedFarTimestamp : nil
    }
}
