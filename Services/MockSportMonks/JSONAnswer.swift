import FoundationEssentials
import HTTPTypes
import Hummingbird
import NIOCore

/// JSON that the two APIs answer with.
enum JSONAnswer {
    static func response(
        _ value: some Encodable, status: HTTPResponse.Status = .ok, contentType: String = "application/json"
    ) throws -> Response {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return raw([UInt8](try encoder.encode(value)), status: status, contentType: contentType)
    }

    static func raw(
        _ bytes: [UInt8], status: HTTPResponse.Status = .ok, contentType: String = "application/json"
    ) -> Response {
        Response(
            status: status, headers: [.contentType: contentType],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }
}
