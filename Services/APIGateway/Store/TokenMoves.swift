import Metrics

/// Counts push tokens that another user registers: a phone that changed hands, or somebody who knows another's token.
package enum TokenMoves {
    enum Kind: String, CaseIterable { case device, start, update }

    /// Counts from 0 on, so that an alert on what it grows by sees the first one, too.
    package static func beginCounters() { for kind in Kind.allCases { counter(kind).increment(by: 0) } }

    static func count(_ kind: Kind, _ moves: Int) {
        if moves > 0 { counter(kind).increment(by: moves) }
    }

    private static func counter(_ kind: Kind) -> Counter {
        Counter(label: "sightscreen_tokens_moved_total", dimensions: [("kind", kind.rawValue)])
    }
}
