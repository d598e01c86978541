import FoundationEssentials
public import Hummingbird
import NIOCore

/// JSON request bodies of the stand-ins and the lab.
public enum JSONBody {
    /// Bytes of a refused body that are still read: a client that sends its whole body first then finds the answer.
    static let refusedBytesMax = 16 << 20

    /// - Parameter bytesMax: the largest body; a larger one is refused with 413.
    /// - Throws: `Problem`.
    public static func bytes(of request: Request, upTo bytesMax: Int) async throws -> [UInt8] {
        var bytes: [UInt8] = []
        var count = 0
        for try await part in request.body {
            count += part.readableBytes
            if count <= bytesMax { bytes += part.readableBytesView }
            if count > max(bytesMax, refusedBytesMax) { break }
        }
        guard count <= bytesMax else { throw Problem(.contentTooLarge, "a body has at most \(bytesMax) bytes") }
        return bytes
    }

    /// - Throws: `Problem` (400), which says what is wrong and where.
    public static func decode<Value: Decodable>(_ type: Value.Type = Value.self, from bytes: [UInt8]) throws -> Value {
        do {
            return try JSONDecoder().decode(type, from: Data(bytes))
        } catch let error as DecodingError {
            throw Problem(.badRequest, misfit(error, bytes) ?? error.sentence)
        }
    }

    /// The sentence for a number that does not fit its type: the decoder then says only that the body is no JSON.
    private static func misfit(_ error: DecodingError, _ bytes: [UInt8]) -> String? {
        guard case .dataCorrupted(let context) = error, context.codingPath.isEmpty else { return nil }
        let decoder = JSONDecoder()
        guard (try? decoder.decode(Anything.self, from: Data(bytes))) != nil else { return nil }
        let members = (try? decoder.decode([String: Anything].self, from: Data(bytes))) ?? [:]
        let names = members.filter { $0.value.mayMisfit }.keys.sorted()
        let place =
            names.count == 1
            ? names[0] : names.isEmpty ? "a number of the body" : "one of \(names.joined(separator: ", "))"
        return "\(place) is not a whole number, or out of its range"
    }

    private struct Anything: Decodable {
        /// Whether the value is a number that may not fit a whole one: negative, with a fraction, or over 9e15.
        var mayMisfit: Bool

        init(from decoder: any Decoder) throws {
            let number = try? decoder.singleValueContainer().decode(Double.self)
            mayMisfit = number.map { $0 < 0 || $0 != $0.rounded() || $0 > 9e15 } ?? false
        }
    }
}
