import HTTPTypes
import Hummingbird

/// An error, answered as a problem document (RFC 9457).
struct Problem: Error, HTTPResponseError {
    var status: HTTPResponse.Status
    var detail: String

    init(_ status: HTTPResponse.Status, _ detail: String) {
        self.status = status
        self.detail = detail
    }

    func response(from request: Request, context: some RequestContext) throws -> Response {
        let document = Document(title: status.reasonPhrase, status: status.code, detail: detail)
        return try JSONAnswer.response(document, status: status, contentType: "application/problem+json")
    }

    private struct Document: Encodable {
        var type = "about:blank"
        var title: String
        var status: Int
        var detail: String
    }
}
