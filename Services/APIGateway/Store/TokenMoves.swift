import Metrics
/// Counts push tokens that moved to another user: the phone changed hands, or the token leaked.
package enum TokenMoves {
    enum Kind: String, CaseIterable { case device, start, update }

    /// Starts the counters at 0, so that an alert on their increase sees the first move, too.
    package static func beginCounters() { for kind in Kind.allCases { counter(kind).increment(by: 0) } }

    static func count(_ kind: Kind, _ moves: Int) {
        if moves > 0 { counter(kind).increment(by: moves) }
    }

    private static func counter(_ kind: Kind) -> Counter {
        Counter(label: "sightscreen_tokens_moved_total", dimensions: [("kind", kind.rawValue)])
    }
}
