import FoundationEssentials
import HTTPTypes
import Hummingbird
import NIOCore
import Tokens

/// A handler's answer; the responder adds the headers that every answer has.
struct Reply: Sendable {
    var status: Int
    var body: [UInt8]
    var headers: [String: String]
    /// The body's entity tag, if it is already computed.
    var tag: String?
    /// What is released when the kernel has the whole answer, or the connection is gone.
    var heldUntilWritten: ExportSlots.Slot?

    /// Encodes a value as JSON with its keys in order, so that the same content has the same entity tag.
    static func json(_ value: some Encodable, status: Int = 200) throws -> Reply {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return Reply(
            status: status, body: [UInt8](try encoder.encode(value)),
            headers: ["Content-Type": "application/json", "Cache-Control": "no-store"])
    }

    static let noContent = Reply(status: 204, body: [], headers: ["Cache-Control": "no-store"])

    /// Adds the entity tag, and answers 304 without a body if the client has that content already.
    func tagged(for request: GatewayRequest) throws -> Reply {
        let tag = try tag ?? Self.tag(of: body)
        var reply = self
        reply.headers["ETag"] = tag
        reply.headers["Cache-Control"] = "private, no-cache"
        if Self.matches(request.request.headers[values: .ifNoneMatch], tag) {
            reply.status = 304
            reply.body = []
            reply.headers["Content-Type"] = nil
        }
        return reply
    }
    /// Returns the same reply with its entity tag computed once, for an answer that is sent many times.
    func knowingItsTag() throws -> Reply {
        var reply = self
        reply.tag = try Self.tag(of: body)
        return reply
    }

    private static func tag(of body: [UInt8]) throws -> String {
        "\"\(Base64URL.encode(try SHA256Digest.of(body).prefix(12)))\""
    }

    private static func matches(_ fields: [String], _ tag: String) -> Bool {
        fields.flatMap { $0.split(separator: ",") }.contains { candidate in
            let candidate = candidate.drop { $0 == " " }.prefix { $0 != " " }
            return candidate == "*" || candidate == tag[...] || candidate == "W/\(tag)"[...]
        }
    }
}
