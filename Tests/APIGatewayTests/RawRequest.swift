import Testing

@testable import APIGateway

/// Bytes that arrive on a connection, and what must become of them.
struct RawRequest: Sendable, CustomTestStringConvertible {
    let name: String
    let bytes: [UInt8]
    /// The answers' statuses, in order. The connection is closed after the last, or after the decoder's bare 400.
    let statuses: [Int]
    /// What comes after those.
    let rest: Rest

    enum Rest: Sendable {
        /// No request.
        case nothing
        /// One that gets at most one answer, which says no: 400 or more and less than 500.
        case refused
        /// One that gets at most one answer.
        case odd
    }

    var testDescription: String { name }

    private init(_ name: String, _ bytes: [UInt8], _ statuses: [Int], rest: Rest = .nothing) {
        self.name = name
        self.bytes = bytes
        self.statuses = statuses
        self.rest = rest
    }

    static func answered(_ name: String, _ text: String, _ statuses: Int...) -> RawRequest {
        RawRequest(name, Array(text.utf8), statuses)
    }

    static func answered(_ name: String, _ text: String, _ statuses: [Int]) -> RawRequest {
        RawRequest(name, Array(text.utf8), statuses)
    }

    static func refused(_ name: String, _ text: String, after: [Int] = []) -> RawRequest {
        refused(name, Array(text.utf8), after: after)
    }

    static func refused(_ name: String, _ bytes: [UInt8], after: [Int] = []) -> RawRequest {
        RawRequest(name, bytes, after, rest: .refused)
    }

    static func odd(_ name: String, _ text: String) -> RawRequest {
        RawRequest(name, Array(text.utf8), [], rest: .odd)
    }

    static let live = "GET /health/live HTTP/1.1\r\nHost: a\r\n\r\n"

    static func get(_ target: String = "/health/live", method: String = "GET", _ fields: String...) -> String {
        "\(method) \(target) HTTP/1.1\r\n" + (["Host: a"] + fields).map { "\($0)\r\n" }.joined() + "\r\n"
    }

    /// Nobody is logged in, so that a route answers 401.
    static func post(_ fields: String..., body: String = "") -> String {
        "POST /devices HTTP/1.1\r\n" + (["Host: a"] + fields).map { "\($0)\r\n" }.joined() + "\r\n" + body
    }

    static func chunked(_ body: String) -> String { post("Transfer-Encoding: chunked", body: body) }

    static let all = wellFormed + oddRequests + requestLines + heads + framing
}
