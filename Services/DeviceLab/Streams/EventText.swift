import FoundationEssentials

/// Server-sent events as they go over the wire. JSON has no line feeds, so each event has one line of data.
enum EventText {
    private struct Hello: Encodable {
        var stream: Int
    }

    private struct Phones: Encodable {
        var whole: Bool
        var phones: [LabPhoneSummary]
    }

    /// What a browser hears when there is nothing to say.
    static let heartbeat = Array(": \n\n".utf8)

    /// News as events: `hello`, `lab`, `phones`, `phone`, of which those without news are left out.
    static func bytes(_ news: Lab.News) throws -> [UInt8] {
        var bytes: [UInt8] = []
        if let stream = news.hello { bytes += try event("hello", Hello(stream: stream)) }
        if let lab = news.lab { bytes += try event("lab", LabWithCards(lab: lab)) }
        if news.isWhole || !news.phones.isEmpty {
            bytes += try event("phones", Phones(whole: news.isWhole, phones: news.phones))
        }
        if let phone = news.phone { bytes += try event("phone", PhoneWithCards(phone: phone)) }
        return bytes.isEmpty ? heartbeat : bytes
    }

    private static func event(_ name: String, _ value: some Encodable) throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.withoutEscapingSlashes]
        var bytes = Array("event: \(name)\ndata: ".utf8)
        bytes += try encoder.encode(value)
        bytes += Array("\n\n".utf8)
        return bytes
    }
}
