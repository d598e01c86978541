/// Why the server refuses a connection, or a request that no route has seen yet. The raw values are labels of a metric.
enum Refusal: String, Error, CaseIterable {
    case requestLine = "request-line"
    case controlByte = "control-byte"
    case lineEnding = "line-ending"
    case target
    case targetTooLong = "target-too-long"
    case version
    case method
    case field
    case headersTooLarge = "headers-too-large"
    case host
    case framing
    case chunk
    case bodyTooLarge = "body-too-large"
    case expectation
    /// The client stopped sending in the middle of a request.
    case incomplete
    /// The decoder behind the scanner reads the request in another way.
    case decoder
    case slowHead = "slow-head"
    case slowBody = "slow-body"
    /// The client does not take its answer; it gets nothing more.
    case unread
    case connections
    case connectionsOfClient = "connections-of-client"

    var problem: Problem {
        switch self {
        case .requestLine: Problem(.malformedHTTP, "the first line must be METHOD /path HTTP/1.1")
        case .controlByte: Problem(.malformedHTTP, "there is a control character in the request's head")
        case .lineEnding: Problem(.malformedHTTP, "lines must end with CR LF")
        case .target: Problem(.malformedHTTP, "the target must be a path in visible ASCII, with or without a query")
        case .targetTooLong: Problem(.addressTooLong, "at most \(GatewayLimits.addressBytesMax) bytes are taken")
        case .version: Problem(.versionNotSupported)
        case .method: Problem(.methodNotImplemented)
        case .field: Problem(.malformedHTTP, "a header line must be a name, a colon at once, and a value")
        case .headersTooLarge:
            Problem(
                .headersTooLarge,
                "at most \(GatewayLimits.headerBytesMax) bytes in \(GatewayLimits.headerFieldsMax) fields are taken")
        case .host: Problem(.malformedHTTP, "there must be one Host header")
        case .framing:
            Problem(.malformedHTTP, "the body must have one Content-Length, or one Transfer-Encoding that is chunked")
        case .chunk: Problem(.malformedHTTP, "a chunk of the body is malformed")
        case .bodyTooLarge: Problem(.bodyTooLarge, "at most \(GatewayLimits.bodyBytesMax) bytes are taken")
        case .expectation: Problem(.expectationFailed)
        case .incomplete: Problem(.malformedHTTP, "the request ends before it is complete")
        case .decoder: Problem(.malformedHTTP)
        case .slowHead, .slowBody, .unread: Problem(.requestTimeout)
        case .connections, .connectionsOfClient: Problem.unavailable("there are too many connections")
        }
    }
}
