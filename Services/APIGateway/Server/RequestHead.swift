/// Reads a request's head line by line, and accepts only what has one meaning: every spelling that two servers in a row
/// might understand differently is refused. The lines hold no control byte other than a tab; the scanner saw to that.
struct RequestHead {
    private var isHTTP10 = false
    private var fieldCount = 0
    private var hostCount = 0
    private var expectationCount = 0
    private var expectsContinue = false
    private var lengthCount = 0
    private var length = 0
    private var encodingCount = 0
    private var closes = false

    mutating func readRequestLine(_ line: Span<UInt8>) throws(Refusal) {
        guard let first = line.firstIndex(of: .space), first > 0, first <= GatewayLimits.methodBytesMax,
            line.extracting(0..<first).allSatisfy(\.isTokenByte)
        else { throw .requestLine }
        let targetStart = first + 1
        let second = line.firstIndex(of: .space, from: targetStart) ?? line.count
        guard second - targetStart <= GatewayLimits.addressBytesMax else { throw .targetTooLong }
        guard second < line.count else { throw .requestLine }
        try readVersion(line.extracting((second + 1)..<line.count))
        let target = line.extracting(targetStart..<second)
        // Only a path: a proxy in front of us has no reason to send a whole URL, and OPTIONS * and CONNECT are not served.
        guard target.count > 0, target[0] == UInt8(ascii: "/"),
            target.allSatisfy({ $0.isVisible && $0 != UInt8(ascii: "#") })
        else { throw .target }
        guard Self.isKnownMethod(line.extracting(0..<first)) else { throw .method }
    }

    /// Whether the beginning of a request line can still become one, so that what is no HTTP at all is refused at once.
    static func checkBeginning(_ line: Span<UInt8>) throws(Refusal) {
        guard let first = line.extracting(0..<min(line.count, GatewayLimits.methodBytesMax + 1)).firstIndex(of: .space)
        else {
            guard line.count <= GatewayLimits.methodBytesMax, line.allSatisfy(\.isTokenByte) else { throw .requestLine }
            return
        }
        guard first > 0, line.extracting(0..<first).allSatisfy(\.isTokenByte) else { throw .requestLine }
        // The target, a space and the version.
        let most = first + 1 + GatewayLimits.addressBytesMax + 1 + 8
        guard line.count <= most else {
            let target = line.extracting((first + 1)..<line.count)
            throw target.firstIndex(of: .space).map { $0 <= GatewayLimits.addressBytesMax } == true
                ? .requestLine : .targetTooLong
        }
    }

    private mutating func readVersion(_ version: Span<UInt8>) throws(Refusal) {
        guard version.count == 8, version.extracting(0..<5).equals("HTTP/"), version[5].isDigit,
            version[6] == UInt8(ascii: "."), version[7].isDigit
        else { throw .requestLine }
        guard version[5] == UInt8(ascii: "1"), version[7] <= UInt8(ascii: "1") else { throw .version }
        isHTTP10 = version[7] == UInt8(ascii: "0")
    }

    private static func isKnownMethod(_ method: Span<UInt8>) -> Bool {
        switch method.count {
        case 3: method.equals("GET") || method.equals("PUT")
        case 4: method.equals("POST") || method.equals("HEAD")
        case 5: method.equals("PATCH") || method.equals("TRACE") || method.equals("QUERY")
        case 6: method.equals("DELETE")
        case 7: method.equals("OPTIONS")
        default: false
        }
    }

    mutating func readField(_ line: Span<UInt8>) throws(Refusal) {
        let (colon, value) = try Self.split(line)
        fieldCount += 1
        guard fieldCount <= GatewayLimits.headerFieldsMax else { throw .headersTooLarge }
        try note(line.extracting(0..<colon), line.extracting(value))
    }

    /// A field after a chunked body. Nobody reads it; what would be about framing is refused nevertheless.
    mutating func readTrailer(_ line: Span<UInt8>) throws(Refusal) {
        let (colon, _) = try Self.split(line)
        fieldCount += 1
        guard fieldCount <= GatewayLimits.headerFieldsMax else { throw .headersTooLarge }
        let name = line.extracting(0..<colon)
        for forbidden in ["content-length", "transfer-encoding", "host", "connection", "upgrade"]
        where name.equalsIgnoringCase(forbidden) {
            throw .framing
        }
    }

    /// - Returns: where the colon is, and the value. A line that continues the one before begins with a space, which no
    ///   name does.
    private static func split(_ line: Span<UInt8>) throws(Refusal) -> (colon: Int, value: Range<Int>) {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > 0,
            line.extracting(0..<colon).allSatisfy(\.isTokenByte)
        else { throw .field }
        return (colon, line.trimmed(from: colon + 1))
    }

    private mutating func note(_ name: Span<UInt8>, _ value: Span<UInt8>) throws(Refusal) {
        switch name.count {
        case 4 where name.equalsIgnoringCase("host"):
            hostCount += 1
            guard (1...GatewayLimits.hostBytesMax).contains(value.count), value.allSatisfy(Self.isHostByte) else {
                throw .host
            }
        case 6 where name.equalsIgnoringCase("expect"):
            expectationCount += 1
            expectsContinue = value.equalsIgnoringCase("100-continue")
        case 7 where name.equalsIgnoringCase("upgrade"): closes = true
        case 10 where name.equalsIgnoringCase("connection"): closes = closes || Self.saysClose(value)
        case 14 where name.equalsIgnoringCase("content-length"):
            lengthCount += 1
            length = try Self.number(value)
        case 17 where name.equalsIgnoringCase("transfer-encoding"):
            encodingCount += 1
            guard value.equalsIgnoringCase("chunked") else { throw .framing }
        default: break
        }
    }

    func finish() throws(Refusal) -> RequestFacts {
        guard hostCount == 1 || (hostCount == 0 && isHTTP10) else { throw .host }
        guard lengthCount + encodingCount <= 1, encodingCount == 0 || !isHTTP10 else { throw .framing }
        guard length <= GatewayLimits.bodyBytesMax else { throw .bodyTooLarge }
        guard expectationCount == (expectsContinue ? 1 : 0) || isHTTP10 else { throw .expectation }
        var facts = RequestFacts()
        facts.body = encodingCount == 1 ? .chunked : length > 0 ? .bytes(length) : .none
        facts.isLast = closes || isHTTP10
        facts.expectsContinue = expectsContinue && !isHTTP10 && facts.body != .none
        return facts
    }

    private static func isHostByte(_ byte: UInt8) -> Bool {
        byte.isLetterOrDigit || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
            || byte == UInt8(ascii: ":") || byte == UInt8(ascii: "[") || byte == UInt8(ascii: "]")
    }

    private static func saysClose(_ value: Span<UInt8>) -> Bool {
        var start = 0
        while start <= value.count {
            let comma = value.firstIndex(of: UInt8(ascii: ","), from: start) ?? value.count
            let part = value.extracting(start..<comma)
            if part.extracting(part.trimmed(from: 0)).equalsIgnoringCase("close") { return true }
            start = comma + 1
        }
        return false
    }

    /// Digits only; a number that is too large for an Int is as large as one can be.
    private static func number(_ text: Span<UInt8>) throws(Refusal) -> Int {
        guard text.count > 0, text.allSatisfy(\.isDigit) else { throw .framing }
        var number = 0
        for index in 0..<text.count {
            let (tenfold, overflow) = number.multipliedReportingOverflow(by: 10)
            let (sum, more) = tenfold.addingReportingOverflow(Int(text[index] - UInt8(ascii: "0")))
            if overflow || more { return .max }
            number = sum
        }
        return number
    }
}
