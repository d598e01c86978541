/// The phase of a match, by the provider's `status` alone.
public enum MatchPhase: Codable, Hashable, Sendable {
    case notStarted, delayed, postponed, cancelled
    /// The number of the innings, 1 for the first.
    case innings(Int)
    case inningsBreak, lunch, tea, dinner
    case stumps(day: Int)
    case interrupted
    case abandoned, finished
    case unknown(String)
}

/// The provider's status words; this is the only place that has them.
extension MatchPhase {
    /// The phases by the provider's word, in lower case and without full stops. Words with a number in them, as "1st
    /// innings" and "stump day 1", are not in the table.
    public static let words: [String: MatchPhase] = [
        "ns": .notStarted, "not started": .notStarted, "delayed": .delayed, "postp": .postponed,
        "postponed": .postponed,
        "cancl": .cancelled, "cancelled": .cancelled, "canceled": .cancelled, "innings break": .inningsBreak,
        "lunch": .lunch, "lunch break": .lunch, "tea": .tea, "tea break": .tea, "dinner": .dinner,
        "dinner break": .dinner, "int": .interrupted, "interrupted": .interrupted, "rain": .interrupted,
        "aban": .abandoned, "abandoned": .abandoned, "finished": .finished,
    ]

    public init(status: String) {
        let word = status.lowercased().filter { $0 != "." }
        self = Self.words[word] ?? Self.numbered(word) ?? .unknown(status)
    }

    private static func numbered(_ word: String) -> MatchPhase? {
        if word.hasSuffix("innings"), let number = Int(word.prefix { $0.isASCII && $0.isNumber }),
            (1...99).contains(number)
        {
            return .innings(number)
        }
        guard word.hasPrefix("stump") else { return nil }
        let day = Int(String(word.reversed().prefix { $0.isASCII && $0.isNumber }.reversed()))
        return .stumps(day: day.flatMap { (1...9).contains($0) ? $0 : nil } ?? 1)
    }

    /// Whether play has begun and is not over for the day. Breaks of the day count, stumps do not.
    public var isInPlay: Bool {
        switch self {
        case .innings, .inningsBreak, .lunch, .tea, .dinner, .interrupted: true
        case .notStarted, .delayed, .postponed, .cancelled, .stumps, .abandoned, .finished, .unknown: false
        }
    }

    /// Whether the match will not be played on. A postponed match is not over: it may be played another day.
    public var isOver: Bool { self == .finished || self == .abandoned || self == .cancelled }

    /// Whether the match is not played as scheduled and has no winner.
    public var isCalledOff: Bool { self == .abandoned || self == .cancelled || self == .postponed }
}
