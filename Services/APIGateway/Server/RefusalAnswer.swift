import Glibc
import NIOCore

/// The answer to what is refused before it becomes a request: a problem document, as bytes, the last of its connection.
enum RefusalAnswer {
    static func bytes(_ refusal: Refusal) -> ByteBuffer {
        let problem = refusal.problem
        let id = RequestID.random()
        // A document of strings and a number: there is nothing in it that cannot be encoded.
        let body = (try? Reply.json(problem.document(requestID: id)))?.body ?? []
        var text = "HTTP/1.1 \(problem.kind.status) \(reason(problem.kind.status))\r\nDate: \(date())\r\n"
        for (name, value) in problem.headers.sorted(by: { $0.key < $1.key }) { text += "\(name): \(value)\r\n" }
        text += "Content-Type: application/problem+json\r\nContent-Length: \(body.count)\r\nCache-Control: no-store\r\n"
        text += "X-Content-Type-Options: nosniff\r\nX-Request-ID: \(id)\r\nConnection: close\r\n\r\n"
        var buffer = ByteBuffer()
        buffer.reserveCapacity(text.utf8.count + body.count)
        buffer.writeString(text)
        buffer.writeBytes(body)
        return buffer
    }

    private static func reason(_ status: Int) -> String {
        switch status {
        case 400: "Bad Request"
        case 408: "Request Timeout"
        case 413: "Content Too Large"
        case 414: "URI Too Long"
        case 417: "Expectation Failed"
        case 431: "Request Header Fields Too Large"
        case 501: "Not Implemented"
        case 503: "Service Unavailable"
        case 505: "HTTP Version Not Supported"
        default: ""
        }
    }

    /// As in "Sun, 06 Nov 1994 08:49:37 GMT". The process keeps the C locale, whose names these are.
    private static func date() -> String {
        var now = time(nil)
        var parts = tm()
        gmtime_r(&now, &parts)
        var text = [CChar](repeating: 0, count: 40)
        let count = strftime(&text, text.count, "%a, %d %b %Y %H:%M:%S GMT", &parts)
        return String(decoding: text.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
