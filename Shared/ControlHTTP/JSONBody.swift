import FoundationEssentials
public import Hummingbird
import NIOCore

/// JSON that the stand-ins and the lab are sent.
public enum JSONBody {
    /// - Parameter bytesMax: more are refused with 413.
    /// - Throws: `Problem`.
    public static func bytes(of request: Request, upTo bytesMax: Int) async throws -> [UInt8] {
        do {
            return Array(try await request.body.collect(upTo: bytesMax).readableBytesView)
        } catch is NIOTooManyBytesError {
            throw Problem(.contentTooLarge, "a body has at most \(bytesMax) bytes")
        }
    }

    /// - Throws: `Problem` (400), which says what is wrong at which place.
    public static func decode<Value: Decodable>(_ type: Value.Type = Value.self, from bytes: [UInt8]) throws -> Value {
        do {
            return try JSONDecoder().decode(type, from: Data(bytes))
        } catch let error as DecodingError {
            throw Problem(.badRequest, error.sentence)
        }
    }
}
