import FoundationEssentials

/// Encodes server-sent events. JSON has no line feeds, so each event has one line of data.
enum EventText {
    private struct Hello: Encodable {
        var stream: Int
    }

    private struct Phones: Encodable {
        var whole: Bool
        var phones: [LabPhoneSummary]
    }
    /// The heartbeat of a stream without events.
    static let heartbeat = Array(": \n\n".utf8)

    /// An update as events: `hello`, `lab`, `phones`, `phone`; those that did not change are left out.
    static func bytes(_ update: Lab.Update) throws -> [UInt8] {
        var bytes: [UInt8] = []
        if let stream = update.hello { bytes += try event("hello", Hello(stream: stream)) }
        if let lab = update.lab { bytes += try event("lab", LabWithCards(lab: lab)) }
        if update.isWhole || !update.phones.isEmpty {
            bytes += try event("phones", Phones(whole: update.isWhole, phones: update.phones))
        }
        if let phone = update.phone { bytes += try event("phone", PhoneWithCards(phone: phone)) }
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
