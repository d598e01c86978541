import FoundationEssentials
import Messages
import NIOCore

/// An envelope whose payload's type is looked up while it is decoded, so that the JSON is read once.
struct IncomingEnvelope: Decodable {
    /// Returns the type of a payload; nil when the payload is not to be read (an answer to a request that is over).
    /// Throws for a message that must not come here.
    typealias Lookup = @Sendable (_ type: String, _ replyTo: String?) throws -> (any Message.Type)?

    let head: Envelope
    let payload: (any Message)?

    /// - Throws: `WireError.malformed`, which quotes none of the frame's content but the type it claims.
    static func read(_ frame: ByteBuffer, lookup: @escaping Lookup) throws(WireError) -> IncomingEnvelope {
        let decoder = JSONDecoder()
        decoder.userInfo[lookupKey] = lookup
        do {
            return try BoundedJSON.decode(IncomingEnvelope.self, from: Data(frame.readableBytesView), with: decoder)
        } catch let error as WireError {
            throw error
        } catch let error as DecodingError {
            throw WireError(.malformed, "not an envelope: \(place(of: error))")
        } catch {
            throw WireError(.malformed, "not an envelope")
        }
    }

    init(from decoder: any Decoder) throws {
        head = try Envelope(from: decoder)
        guard let lookup = decoder.userInfo[lookupKey] as? Lookup, let type = try lookup(head.type, head.replyTo) else {
            payload = nil
            return
        }
        let container = try decoder.container(keyedBy: CodingKeys.self)
        func decode<M: Message>(_: M.Type) throws -> any Message { try container.decode(M.self, forKey: .payload) }
        payload = try decode(type)
    }

    private enum CodingKeys: CodingKey {
        case payload
    }

    private static func place(of error: DecodingError) -> String {
        func path(_ context: DecodingError.Context) -> String {
            let path = context.codingPath.map { $0.intValue.map(String.init) ?? $0.stringValue }.joined(separator: ".")
            return path.isEmpty ? "at its top" : "at \(path.prefix(120))"
        }
        switch error {
        case .keyNotFound(let key, let context): return "\(key.stringValue.prefix(40)) is missing \(path(context))"
        case .typeMismatch(_, let context): return "wrong type \(path(context))"
        case .valueNotFound(_, let context): return "null \(path(context))"
        case .dataCorrupted(let context): return "not valid \(path(context))"
        @unknown default: return "not valid"
        }
    }
}

// A key with a name is never nil.
private let lookupKey: CodingUserInfoKey = {
    guard let key = CodingUserInfoKey(rawValue: "wire.lookup") else { preconditionFailure("a key has a name") }
    return key
}()
