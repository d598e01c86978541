public import HTTPTypes
public import Hummingbird

/// An error of a control port, answered as a problem document (RFC 9457).
public struct Problem: Error, HTTPResponseError {
    public var status: HTTPResponse.Status
    /// The sentence for the developer who called: what is wrong, and what would be right.
    public var detail: String
    /// The oldest entry that can still be asked for; only with 410, as `newest`.
    private var oldest: Int?
    private var newest: Int?

    package init(_ status: HTTPResponse.Status, _ detail: String, oldest: Int? = nil, newest: Int? = nil) {
        self.status = status
        self.detail = detail
        self.oldest = oldest
        self.newest = newest
    }

    public func response(from request: Request, context: some RequestContext) throws -> Response {
        let document = Document(
            title: status.reasonPhrase, status: status.code, detail: detail, oldest: oldest, newest: newest)
        return try JSONAnswer.response(document, status: status, contentType: "application/problem+json")
    }

    private struct Document: Encodable {
        var type = "about:blank"
        var title: String
        var status: Int
        var detail: String
        var oldest: Int?
        var newest: Int?
    }
}
