import Cricket

extension MatchPhase {
    /// The phase as one word for logs and columns, without the number of an innings or a day. A word never changes.
    var name: String {
        switch self {
        case .notStarted: "notStarted"
        case .delayed: "delayed"
        case .postponed: "postponed"
        case .cancelled: "cancelled"
        case .innings: "innings"
        case .inningsBreak: "inningsBreak"
        case .lunch: "lunch"
        case .tea: "tea"
        case .dinner: "dinner"
        case .stumps: "stumps"
        case .interrupted: "interrupted"
        case .abandoned: "abandoned"
        case .finished: "finished"
        case .unknown: "unknown"
        }
    }

    /// Whether nothing is played for a while, scheduled or not. A super over in play is no break.
    var isBreak: Bool {
        switch self {
        case .delayed, .inningsBreak, .lunch, .tea, .dinner, .stumps, .interrupted: true
        case .notStarted, .postponed, .cancelled, .innings, .abandoned, .finished, .unknown: false
        }
    }
}
