/// The part that all answers of the provider share: `data`, or a message instead of it.
struct ProviderAnswer<Content> {
    var content: Content
    /// Whether `links.next` is there (or that of `meta.pagination`), so that the list goes on.
    var hasNext: Bool
    var currentPage: Int?
    var lastPage: Int?
    var total: Int?

    /// Reads an answer's body.
    /// - Parameters:
    ///   - notedDepth: the depth as in `JSONValue.read`; the elements of a list of fixtures are at depth 2.
    ///   - content: reads `data`, which is not null; returns nil when it is not of the expected form.
    /// - Throws: `ProviderAnswerError` when the body is empty, not JSON, or has no `data` of the expected form.
    static func read(
        _ bytes: [UInt8], notedDepth: Int = JSONScanner.depthMax, content: (JSONValue) -> Content?
    ) throws(ProviderAnswerError) -> Self {
        let text = try body(of: bytes)
        let result: Result<Self, ProviderAnswerError>
        do throws(JSONMalformed) {
            result = try JSONValue.read(bytes, text, notedDepth: notedDepth) { root in Self.answer(root, content) }
        } catch {
            throw .notJSON("\(bytes.count) bytes that break off or are malformed")
        }
        return try result.get()
    }

    private static func answer(
        _ root: JSONValue, _ content: (JSONValue) -> Content?
    ) -> Result<Self, ProviderAnswerError> {
        guard let data = root["data"], !data.isNull, let content = content(data) else {
            let message = root.text("message") ?? root.text("error") ?? root["error"]?.text("message")
            return .failure(.noData(message: message.map { Self.shown(Array($0.utf8).prefix(120)) }))
        }
        let meta = root.unwrapped("meta")
        // Another form of the same, which frameworks like the provider's send.
        let pagination = meta?.unwrapped("pagination")
        let links = root.unwrapped("links") ?? pagination?.unwrapped("links")
        return .success(
            Self(
                content: content, hasNext: links?.text("next") != nil,
                currentPage: meta?.count("current_page") ?? pagination?.count("current_page"),
                lastPage: meta?.count("last_page") ?? pagination?.count("total_pages"),
                total: meta?.count("total") ?? pagination?.count("total")))
    }

    /// The range of the JSON in the body, after a byte order mark and white space.
    private static func body(of bytes: [UInt8]) throws(ProviderAnswerError) -> Range<Int> {
        let mark = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        guard let start = bytes[mark...].firstIndex(where: { !($0 == 0x20 || (0x09...0x0D).contains($0)) }) else {
            throw .empty
        }
        let body = bytes[start...]
        if body.first == UInt8(ascii: "<") { throw .notJSON("an HTML page of \(bytes.count) bytes") }
        guard body.first == UInt8(ascii: "{") || body.first == UInt8(ascii: "[") else {
            throw .notJSON("\(bytes.count) bytes that begin with \"\(Self.shown(body.prefix(24)))\"")
        }
        return start..<bytes.count
    }

    /// Makes foreign text fit for one line of a log.
    private static func shown(_ bytes: some Collection<UInt8>) -> String {
        String(decoding: bytes, as: UTF8.self).map { $0.isNewline || $0.isWhitespace ? " " : String($0) }.joined()
    }
}

extension JSONValue {
    /// The member of this name; nil unless it is an object.
    fileprivate func unwrapped(_ key: JSONKey) -> JSONValue? {
        guard let value = self[key], value.isObject else { return nil }
        return value
    }
}
