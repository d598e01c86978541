/// For how long the provider has answered: the time between two answers counts when no call between them failed, was
/// refused or was not allowed.
struct AnsweredTime: Sendable {
    private(set) var milliseconds: Int64 = 0
    private var lastAnswerAt: Int64?

    /// - Parameter at: when the answer was fetched, in milliseconds since 1970.
    mutating func answered(at: Int64) {
        if let lastAnswerAt { milliseconds += max(0, at - lastAnswerAt) }
        lastAnswerAt = at
    }

    mutating func stopped() { lastAnswerAt = nil }
}
