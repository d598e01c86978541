import Cricket

/// SQL conditions on a column with the provider's status; they decide as `MatchPhase.init(status:)` does.
package enum FixtureSQL {
    package static func isInPlay(_ status: String) -> String {
        "(\(isOneOf(\.isInPlay, status)) OR \(word(status)) ~ '^0*[1-9][0-9]?([^0-9].*)?innings$')"
    }

    package static func isAtStumps(_ status: String) -> String { "\(word(status)) LIKE 'stump%'" }

    package static func hasNotStarted(_ status: String) -> String { isOneOf({ $0 == .notStarted }, status) }

    package static func isOver(_ status: String) -> String { isOneOf(\.isOver, status) }

    package static func isCalledOff(_ status: String) -> String { isOneOf(\.isCalledOff, status) }

    private static func word(_ status: String) -> String { "lower(replace(\(status), '.', ''))" }

    private static func isOneOf(_ phase: (MatchPhase) -> Bool, _ status: String) -> String {
        let words = MatchPhase.words.filter { phase($0.value) }.keys.sorted()
        return "\(word(status)) IN (\(words.map { "'\($0)'" }.joined(separator: ", ")))"
    }
}
