import FoundationEssentials

/// The part that all answers of the provider share: `data`, or a message instead of it.
struct ProviderAnswer<Content: Decodable>: Decodable {
    var data: Content?
    var message: String?
    var links: Links?
    var meta: Meta?

    struct Links: Decodable {
        var next: String?

        init(from decoder: any Decoder) throws {
            next = try decoder.container(keyedBy: AnyKey.self).text("next")
        }
    }

    struct Meta: Decodable {
        var currentPage: Int?
        var lastPage: Int?
        var total: Int?

        init(from decoder: any Decoder) throws {
            let row = try decoder.container(keyedBy: AnyKey.self)
            currentPage = row.count("current_page")
            lastPage = row.count("last_page")
            total = row.count("total")
        }
    }

    init(from decoder: any Decoder) throws {
        let row = try decoder.container(keyedBy: AnyKey.self)
        data = try? row.decodeIfPresent(Content.self, forKey: "data")
        links = row.included("links")
        meta = row.included("meta")
        let error = try? row.nestedContainer(keyedBy: AnyKey.self, forKey: "error")
        message = row.text("message") ?? row.text("error") ?? error?.text("message")
    }

    /// Reads an answer's body.
    /// - Throws: `ProviderAnswerError` when it is empty, not JSON, or has no `data` of the expected form.
    static func read(_ bytes: [UInt8]) throws(ProviderAnswerError) -> (content: Content, answer: Self) {
        let start = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        let body = bytes[start...].drop { $0 == 0x20 || (0x09...0x0D).contains($0) }
        guard let first = body.first else { throw .empty }
        if first == UInt8(ascii: "<") { throw .notJSON("an HTML page of \(bytes.count) bytes") }
        guard first == UInt8(ascii: "{") || first == UInt8(ascii: "[") else {
            throw .notJSON("\(bytes.count) bytes that begin with \"\(Self.shown(body.prefix(24)))\"")
        }
        let answer: Self
        do {
            answer = try JSONDecoder().decode(Self.self, from: Data(body))
        } catch DecodingError.dataCorrupted {
            throw .notJSON("\(bytes.count) bytes that break off or are malformed")
        } catch {
            throw .noData(message: nil)
        }
        guard let content = answer.data else {
            throw .noData(message: answer.message.map { Self.shown(Array($0.utf8).prefix(120)) })
        }
        return (content, answer)
    }

    /// Foreign text, fit for one line of a log.
    private static func shown(_ bytes: some Collection<UInt8>) -> String {
        String(decoding: bytes, as: UTF8.self).map { $0.isNewline || $0.isWhitespace ? " " : String($0) }.joined()
    }
}
