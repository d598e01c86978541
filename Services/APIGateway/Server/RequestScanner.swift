/// Finds out where a request ends, and whether it is well-formed, before the decoder sees it. It reads each byte once,
/// however small the pieces are in which a client sends them.
struct RequestScanner {
    enum Step: Equatable {
        case needsMore(inBody: Bool)
        /// The request is the first `length` bytes.
        case complete(length: Int, RequestFacts)
        case refused(Refusal)
    }

    private enum Stage {
        case requestLine
        case fields
        /// The body ends before this index.
        case body(end: Int)
        case chunkSize
        /// The chunk and its CR LF end before this index.
        case chunk(end: Int)
        case trailers
    }

    private var stage = Stage.requestLine
    private var head = RequestHead()
    private(set) var facts = RequestFacts()
    /// Where the line that is being read begins, and how far its end was looked for.
    private var lineStart = 0
    private var searched = 0
    private var fieldsStart = 0
    private var skippedEmptyLine = false
    private var chunkBytes = 0
    private var chunkFramingBytes = 0

    /// - Parameter bytes: everything that has come since the request's first byte, the part already scanned included.
    mutating func scan(_ bytes: Span<UInt8>) -> Step {
        do throws(Refusal) {
            while true {
                switch stage {
                case .requestLine:
                    guard let line = try nextLine(bytes) else {
                        // Without the CR whose LF is still to come.
                        try RequestHead.checkBeginning(bytes.extracting(lineStart..<searched))
                        return .needsMore(inBody: false)
                    }
                    try readRequestLine(bytes, line)
                case .fields:
                    guard let line = try nextLine(bytes) else {
                        // The CR of the empty line does not count.
                        try check(bytes.count - fieldsStart - 1, .headersTooLarge, max: GatewayLimits.headerBytesMax)
                        return .needsMore(inBody: false)
                    }
                    if let end = try readField(bytes, line) { return .complete(length: end, facts) }
                case .body(let end):
                    guard bytes.count >= end else { return .needsMore(inBody: true) }
                    return .complete(length: end, facts)
                case .chunkSize:
                    guard let line = try nextLine(bytes) else {
                        try check(bytes.count - lineStart - 1, .chunk, max: GatewayLimits.chunkLineBytesMax)
                        return .needsMore(inBody: true)
                    }
                    try readChunkSize(bytes.extracting(line))
                case .chunk(let end):
                    guard bytes.count >= end else { return .needsMore(inBody: true) }
                    guard bytes[end - 2] == .carriageReturn, bytes[end - 1] == .lineFeed else { throw .chunk }
                    lineStart = end
                    searched = end
                    stage = .chunkSize
                case .trailers:
                    guard let line = try nextLine(bytes) else {
                        try check(
                            bytes.count - fieldsStart - 1, .headersTooLarge, max: GatewayLimits.trailerBytesMax)
                        return .needsMore(inBody: true)
                    }
                    if line.isEmpty { return .complete(length: lineStart, facts) }
                    try check(lineStart - fieldsStart, .headersTooLarge, max: GatewayLimits.trailerBytesMax)
                    try head.readTrailer(bytes.extracting(line))
                }
            }
        } catch {
            return .refused(error)
        }
    }

    /// The next line without its CR LF, when it is here as a whole.
    private mutating func nextLine(_ bytes: Span<UInt8>) throws(Refusal) -> Range<Int>? {
        var index = searched
        while index < bytes.count {
            let byte = bytes[index]
            if (byte >= 0x20 && byte != 0x7f) || byte == .tab {
                index += 1
                continue
            }
            guard byte == .carriageReturn else { throw byte == .lineFeed ? .lineEnding : .controlByte }
            guard index + 1 < bytes.count else { break }
            guard bytes[index + 1] == .lineFeed else { throw .lineEnding }
            let line = lineStart..<index
            lineStart = index + 2
            searched = lineStart
            return line
        }
        searched = index
        return nil
    }

    private func check(_ count: Int, _ refusal: Refusal, max: Int) throws(Refusal) {
        guard count <= max else { throw refusal }
    }

    private mutating func readRequestLine(_ bytes: Span<UInt8>, _ line: Range<Int>) throws(Refusal) {
        // Some clients end a body with a line end too many.
        if line.isEmpty, !skippedEmptyLine {
            skippedEmptyLine = true
            return
        }
        try head.readRequestLine(bytes.extracting(line))
        fieldsStart = lineStart
        stage = .fields
    }

    /// - Returns: the request's end, when this was the empty line after the fields of a request without a body.
    private mutating func readField(_ bytes: Span<UInt8>, _ line: Range<Int>) throws(Refusal) -> Int? {
        guard line.isEmpty else {
            try check(lineStart - fieldsStart, .headersTooLarge, max: GatewayLimits.headerBytesMax)
            try head.readField(bytes.extracting(line))
            return nil
        }
        facts = try head.finish()
        switch facts.body {
        case .none: return lineStart
        case .bytes(let count): stage = .body(end: lineStart + count)
        case .chunked: stage = .chunkSize
        }
        return nil
    }

    private mutating func readChunkSize(_ line: Span<UInt8>) throws(Refusal) {
        try check(line.count, .chunk, max: GatewayLimits.chunkLineBytesMax)
        chunkFramingBytes += line.count + 4
        try check(chunkFramingBytes, .bodyTooLarge, max: GatewayLimits.chunkFramingBytesMax)
        let end = line.firstIndex(of: UInt8(ascii: ";")) ?? line.count
        guard (1...8).contains(end) else { throw .chunk }
        var size = 0
        for index in 0..<end {
            guard let digit = line[index].hexValue else { throw .chunk }
            size = size << 4 | digit
        }
        // Extensions mean nothing to us.
        guard line.extracting(end..<line.count).allSatisfy({ $0.isVisible || $0.isBlank }) else { throw .chunk }
        chunkBytes += size
        try check(chunkBytes, .bodyTooLarge, max: GatewayLimits.bodyBytesMax)
        if size == 0 {
            fieldsStart = lineStart
            stage = .trailers
        } else {
            stage = .chunk(end: lineStart + size + 2)
        }
    }
}
