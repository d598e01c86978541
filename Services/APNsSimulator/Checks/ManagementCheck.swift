import FoundationEssentials

/// Reads a request to the management port, and computes why Apple would refuse it.
///
/// Apple does not publish the order of its checks; here it is the path, the method, the sender, the app, its
/// capability, the header fields, the body, and the channel last. An id that is not base64 is `BadChannelId`, one that
/// no channel has `BadPath`.
struct ManagementCheck: Sendable {
    /// The storage policies: no message, and the newest message.
    static let policies: Set<Int> = [0, 1]
    static let pushType = "LiveActivity"

    /// A request whose path and method are Apple's.
    struct Call: Sendable, Hashable {
        var kind: CallKind
        var bundleID: String
    }

    var bundleID: String

    /// Returns what a request asks for.
    ///
    /// - Throws: the refusal of its path or method.
    static func call(_ request: IncomingRequest) throws(Refusal) -> Call {
        let parts = request.path.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 5, parts[0].isEmpty, parts[1] == "1", parts[2] == "apps", FieldSyntax.isName(parts[3])
        else { throw .badPath }
        let kind: CallKind? =
            switch (parts[4], request.method) {
            case ("channels", "POST"): .create
            case ("channels", "GET"): .read
            case ("channels", "DELETE"): .delete
            case ("all-channels", "GET"): .list
            default: nil
            }
        if let kind { return Call(kind: kind, bundleID: String(parts[3])) }
        throw ["channels", "all-channels"].contains(parts[4]) ? .methodNotAllowed : .badPath
    }

    /// Returns why the app in the path is refused; nil when it is not.
    func refusalOfBundle(_ call: Call) -> Refusal? { call.bundleID == bundleID ? nil : .topicDisallowed }

    /// Returns why the header fields other than `authorization` are refused; nil when they are not.
    func refusalOfHeaders(_ request: IncomingRequest, _ kind: CallKind) -> Refusal? {
        if request.hasDuplicates { return .duplicateHeaders }
        if let id = request.field("apns-request-id"), !FieldSyntax.isLowerCaseUUID(id) { return .badMessageID }
        guard kind == .read || kind == .delete else { return nil }
        guard let id = request.field("apns-channel-id"), !id.isEmpty else { return .missingChannelID }
        return FieldSyntax.isBase64(id) ? nil : .badChannelID
    }

    /// Parses the body of a request for a channel and returns its storage policy.
    ///
    /// - Throws: the refusal of the body.
    static func policy(_ body: [UInt8]) throws(Refusal) -> Int {
        if body.isEmpty { throw .payloadEmpty }
        guard let wanted = try? JSONDecoder().decode(Body.self, from: Data(body)) else { throw .badRequestPayload }
        guard wanted.hasPushType else { throw .missingPushType }
        guard wanted.pushType == pushType else { throw .invalidPushType }
        guard let policy = wanted.policy, policies.contains(policy) else { throw .missingChannelQueueSize }
        return policy
    }

    private struct Body: Decodable {
        var hasPushType: Bool
        var pushType: String?
        var policy: Int?

        private enum Key: String, CodingKey {
            case policy = "message-storage-policy"
            case pushType = "push-type"
        }

        init(from decoder: any Decoder) throws {
            let keys = try decoder.container(keyedBy: Key.self)
            hasPushType = keys.contains(.pushType)
            pushType = try? keys.decode(String.self, forKey: .pushType)
            policy = try? keys.decode(Int.self, forKey: .policy)
        }
    }
}
