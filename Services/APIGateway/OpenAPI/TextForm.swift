import SightscreenModels
import Tokens

/// The forms that texts from outside may have. Each is checked by hand-written code, because an attacker can exploit a
/// pattern that backtracks, and is printed as a pattern (ECMA 262) in the OpenAPI document. A test compares the two.
enum TextForm: CaseIterable, Hashable, Sendable {
    /// A number that the provider gave to a fixture, league or team.
    case number
    /// A name that the app or ActivityKit gave to a device, an activity or a start.
    case identifier
    /// An APNs token in hexadecimal.
    case pushToken
    /// A device's id or one of its tokens.
    case deviceName
    /// A version of the app or of iOS as the phone reports it.
    case shortText
    /// "1", "1.2" or "1.2.3".
    case version
    case webAddress
    /// A sentence for people.
    case sentence
    /// A day of the Gregorian calendar in UTC.
    case day
    /// A day (UTC), or a moment as RFC 3339 writes it.
    case dayOrMoment
    /// The cursor of a page: the place where the previous page ended.
    case cursor
    /// The name of a tape of mock-sportmonks.
    case tape
    /// A ball of a tape: "S1 12.3", "Innings Break".
    case ball

    func accepts(_ text: String) -> Bool {
        let count = text.utf8.count
        guard lengths.contains(count) else { return false }
        switch self {
        case .number: return text.utf8.allSatisfy(Self.isDigit) && text.utf8.first != 0x30
        case .identifier, .tape: return Identifier.isValid(text)
        case .pushToken: return Identifier.isToken(text)
        case .deviceName: return Identifier.isValid(text) || Identifier.isToken(text)
        case .shortText: return Identifier.isShortText(text)
        case .version: return Self.isVersion(text)
        case .webAddress:
            return text.hasPrefix("https://") && text.utf8.dropFirst(8).allSatisfy { (0x21...0x7e).contains($0) }
        case .sentence:
            return text.unicodeScalars.count <= 200
                && text.unicodeScalars.allSatisfy { $0.value > 0x1f && !(0x7f...0x9f).contains($0.value) }
        case .day: return UTCDay(text) != nil
        case .dayOrMoment: return UTCDay(text) != nil || DateText.moment(text) != nil
        case .cursor: return MatchQuery.position(text) != nil
        case .ball: return text.utf8.allSatisfy { (0x20...0x7e).contains($0) }
        }
    }

    /// The allowed lengths in bytes; only for `sentence` are characters and bytes different.
    private var lengths: ClosedRange<Int> {
        switch self {
        case .number: 1...18
        case .identifier, .tape, .shortText: 1...64
        case .pushToken: 64...512
        case .deviceName: 1...512
        case .version: 1...20
        case .webAddress: 9...200
        case .sentence: 1...1_000
        case .day: 10...10
        case .dayOrMoment: 10...40
        case .cursor: 3...40
        case .ball: 1...60
        }
    }

    /// The words in an error for what the text must be.
    var wanted: String {
        switch self {
        case .number: "decimal digits in a string, without a leading zero"
        case .identifier: "1 to 64 letters, digits, - and _"
        case .pushToken: "a push token: 64 to 512 hexadecimal digits, an even number"
        case .deviceName: "a device's id or token"
        case .shortText: "1 to 64 printable ASCII characters"
        case .version: "a version like 1.2.3"
        case .webAddress: "an https address of at most 200 characters"
        case .sentence: "a text of at most 200 characters without control characters"
        case .day: "a day, YYYY-MM-DD"
        case .dayOrMoment: "a day, YYYY-MM-DD, or a moment, YYYY-MM-DDThh:mm:ssZ"
        case .cursor: "the nextCursor of the page before"
        case .tape: "a tape's id"
        case .ball: "a ball as the position's label names it (S1 12.3)"
        }
    }

    /// The form as JSON Schema 2020-12.
    var document: JSONValue { form.merging(["examples": [.string(example)]]) }

    private var example: String {
        switch self {
        case .number, .tape: "1304076"
        case .identifier, .deviceName: "6F9619FF-8B86-D011-B42D-00C04FC964FF"
        case .pushToken: String(repeating: "80a1c3f4", count: 8)
        case .shortText: "18.2"
        case .version: "2.4.0"
        case .webAddress: "https://apps.apple.com/app/id1"
        case .sentence: "Back at 10."
        case .day: "2026-11-22"
        case .dayOrMoment: "2026-11-22T14:30:00Z"
        case .cursor: "1795305600-1304076"
        case .ball: "S1 12.3"
        }
    }

    private var form: JSONValue {
        switch self {
        case .number: ["type": "string", "pattern": "^[1-9][0-9]{0,17}$", "maxLength": 18]
        case .identifier, .tape: ["type": "string", "pattern": "^[A-Za-z0-9_-]{1,64}$", "maxLength": 64]
        case .pushToken:
            ["type": "string", "pattern": "^([0-9A-Fa-f]{2}){32,256}$", "minLength": 64, "maxLength": 512]
        case .deviceName:
            [
                "type": "string", "pattern": "^([A-Za-z0-9_-]{1,64}|([0-9A-Fa-f]{2}){32,256})$", "maxLength": 512,
            ]
        case .shortText: ["type": "string", "pattern": "^[ -~]{1,64}$", "maxLength": 64]
        case .version: ["type": "string", "pattern": "^[0-9]{1,6}(\\.[0-9]{1,6}){0,2}$", "maxLength": 20]
        case .webAddress: ["type": "string", "pattern": "^https://[!-~]{1,192}$", "maxLength": 200]
        case .sentence:
            ["type": "string", "minLength": 1, "maxLength": 200, "pattern": "^[^\\u0000-\\u001f\\u007f-\\u009f]*$"]
        case .day: ["type": "string", "format": "date", "minLength": 10, "maxLength": 10]
        case .dayOrMoment:
            ["type": "string", "maxLength": 40, "anyOf": [["format": "date"], ["format": "date-time"]]]
        case .cursor: ["type": "string", "pattern": "^[0-9]{1,12}-[1-9][0-9]{0,17}$", "maxLength": 40]
        case .ball: ["type": "string", "pattern": "^[ -~]{1,60}$", "maxLength": 60]
        }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

    private static func isVersion(_ text: String) -> Bool {
        let parts = text.utf8.split(separator: 0x2e, omittingEmptySubsequences: false)
        return (1...3).contains(parts.count)
            && parts.allSatisfy { (1...6).contains($0.count) && $0.allSatisfy(isDigit) }
    }
}
