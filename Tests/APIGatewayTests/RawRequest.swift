import Testing

@testable import APIGateway

/// Bytes that arrive on a connection, and what must become of them.
struct RawRequest: Sendable, CustomTestStringConvertible {
    let name: String
    let bytes: [UInt8]
    /// The answers' statuses, in order. The connection is closed after the last.
    let statuses: [Int]
    /// Why the last of them is refused before it reaches a route.
    let refusal: Refusal?

    var testDescription: String { name }

    private init(_ name: String, _ bytes: [UInt8], _ statuses: [Int], _ refusal: Refusal?) {
        self.name = name
        self.bytes = bytes
        self.statuses = statuses
        self.refusal = refusal
    }

    /// Comes to a route, which answers.
    static func answered(_ name: String, _ text: String, _ statuses: Int...) -> RawRequest {
        RawRequest(name, Array(text.utf8), statuses, nil)
    }

    static func refused(_ name: String, _ text: String, _ refusal: Refusal, after: [Int] = []) -> RawRequest {
        refused(name, Array(text.utf8), refusal, after: after)
    }

    static func refused(_ name: String, _ bytes: [UInt8], _ refusal: Refusal, after: [Int] = []) -> RawRequest {
        RawRequest(name, bytes, after + [refusal.problem.kind.status], refusal)
    }

    static func answered(_ name: String, _ text: String, _ statuses: [Int]) -> RawRequest {
        RawRequest(name, Array(text.utf8), statuses, nil)
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

    static let all = wellFormed + requestLines + heads + framing
}
