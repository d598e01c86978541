import Cricket
import SightscreenModels

/// How long the provider has repeated a match without a change, and whether the match counts as one that nobody reports
/// any more. Time in which the provider did not answer is no silence.
package struct MatchSilence: Codable, Sendable, Equatable {
    /// What the poller knows of a frame beside its content.
    package struct Word: Codable, Sendable, Equatable {
        /// For how long the provider has answered that poller, in milliseconds; it begins anew with each poller.
        package var answeredMs: Int64
        /// Whether the match was on the live list; otherwise it was read by itself.
        package var isListed: Bool

        package init(answeredMs: Int64, isListed: Bool) {
            self.answeredMs = answeredMs
            self.isListed = isListed
        }
    }

    /// How long a match in which nothing can be bowled for a while may be silent: in a break, or suspended.
    static let inBreak: Int64 = 6 * 3_600_000
    /// How long a match that has left the list may be silent.
    static let unlisted: Int64 = 30 * 60_000
    /// How long a match whose runs decide it may be silent without a word that it is over.
    static let decided: Int64 = 3_600_000

    /// Milliseconds in which the provider answered and nothing changed.
    private(set) var elapsed: Int64 = 0
    /// Whether the match is called silent. Only a change takes it back.
    private(set) var isCalled = false
    /// The part of it since the match left the list.
    private var elapsedUnlisted: Int64 = 0
    private var last: Word?
    private var fetchedAt: Int64?
    /// When the newest change was seen, in milliseconds.
    private var changedAt: Int64?

    /// Notes a frame.
    mutating func note(_ word: Word?, fetchedAt: Int64, isChanged: Bool) {
        if isChanged {
            elapsed = 0
            isCalled = false
            changedAt = fetchedAt
        }
        // Another poller counts from its own beginning.
        var passed: Int64 = 0
        if !isChanged, let word, let last, let before = self.fetchedAt {
            passed = max(0, min(word.answeredMs - last.answeredMs, fetchedAt - before))
        }
        elapsed += passed
        elapsedUnlisted =
            last?.isListed == false && word?.isListed == false && !isChanged ? elapsedUnlisted + passed : 0
        last = word
        self.fetchedAt = fetchedAt
    }

    mutating func call() { isCalled = true }

    /// The state as it is shown: that of a silent match says that there is no news, and since when.
    func shown(_ state: ContentState) -> ContentState {
        guard isCalled else { return state }
        var state = state
        state.expanded.status = "No news"
        state.expanded.asOf = changedAt.map { Int($0 / 1_000) }
        return state
    }

    /// Whether the match has been silent for too long in this phase. Before play, at night and once it is over it may be.
    ///
    /// - Parameter inPlay: how long a match in play may be silent, in milliseconds.
    func isTooLong(in phase: MatchPhase, inPlay: Int64) -> Bool {
        switch phase {
        case .notStarted, .delayed, .postponed, .cancelled, .abandoned, .finished, .stumps: false
        case .lunch, .tea, .dinner, .inningsBreak: elapsed >= Self.inBreak
        case .interrupted: elapsed >= Self.inBreak || elapsedUnlisted >= Self.unlisted
        case .innings, .unknown: elapsed >= inPlay || elapsedUnlisted >= Self.unlisted
        }
    }
}
