import FoundationEssentials
public import HTTPTypes
public import Hummingbird
import NIOCore

/// JSON answers of the stand-ins and the lab. They are not cached, because their content changes with every ball.
public enum JSONAnswer {
    public static func response(
        _ value: some Encodable, status: HTTPResponse.Status = .ok, contentType: String = "application/json"
    ) throws -> Response {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        var response = raw([UInt8](try encoder.encode(value)), status: status, contentType: contentType)
        response.headers[.cacheControl] = "no-store"
        return response
    }

    public static func raw(
        _ bytes: [UInt8], status: HTTPResponse.Status = .ok, contentType: String = "application/json"
    ) -> Response {
        Response(
            status: status, headers: [.contentType: contentType],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }
}
