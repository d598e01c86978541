import Cricket
import SightscreenModels

/// Waits until a finished match has a result that can be announced.
///
/// `Finished` may come before its winner, or with the wrong one. The result is settled at once when winner, note and
/// runs agree; otherwise the runs decide after the result hold. A tie of limited overs waits for a super over.
struct ResultTracker: Codable, Sendable, Equatable {
    /// When the provider first said that the match is over, in milliseconds; nil while it is not.
    private(set) var finishedAt: Int64?
    /// The announced result.
    private(set) var settled: String?
    /// The outcome by the announced result or, until then, by the held one; nil while there is neither.
    private(set) var outcome: ContentState.Outcome?
    /// The result that is announced at `due`, unless a better one is known by then.
    private(set) var held: String?
    private(set) var due: Int64?
    /// Whether the scores are level and a super over may follow; nil before the match is over.
    private(set) var awaitsSuperOver: Bool?
    /// Whether the runs decided, and the provider has not said that the match is over.
    private var isByRuns = false

    mutating func observe(_ snapshot: MatchSnapshot, now: Int64, timing: MatchTiming) {
        // An unknown phase does not change an announced result.
        if case .unknown = snapshot.phase, settled != nil { return }
        guard ResultJudge.isOver(snapshot.phase) else {
            let stands = isByRuns && RunsResult(snapshot).sentence(in: snapshot, winner: nil) == settled
            if !stands { self = ResultTracker() }
            return
        }
        isByRuns = false
        let since = finishedAt ?? now
        finishedAt = since
        let judged = ResultJudge.judge(snapshot)
        if settled == nil || judged.isSettled {
            outcome = ResultNote.outcome(judged.text, in: snapshot)
        }
        awaitsSuperOver = if case .awaitingSuperOver = judged { true } else { false }
        switch judged {
        case .settled(let text):
            settle(text)
        case .awaitingSuperOver(let text):
            hold(text, until: since + timing.superOverWait, now: now)
        case .unsettled(let text):
            // An announced result stays until winner, note and runs agree on another one.
            if settled == nil { hold(text, until: since + timing.resultHold, now: now) }
        }
    }

    /// Settles the held result when its time has come. Returns whether it did so now.
    mutating func tick(now: Int64) -> Bool {
        guard settled == nil, let held, let due, now >= due else { return false }
        settle(held)
        return true
    }

    /// Settles the result of a match in play by its runs, where they decide it: the provider has stopped reporting it.
    ///
    /// - Returns: whether it is settled.
    mutating func decide(by snapshot: MatchSnapshot) -> Bool {
        switch snapshot.phase {
        case .innings, .inningsBreak, .unknown: break
        default: return false
        }
        let runs = RunsResult(snapshot)
        guard runs.isDecided else { return false }
        let text = runs.sentence(in: snapshot, winner: nil)
        outcome = ResultNote.outcome(text, in: snapshot)
        settle(text)
        isByRuns = true
        return true
    }

    private mutating func hold(_ text: String, until due: Int64, now: Int64) {
        guard settled == nil else { return }
        held = text
        self.due = due
        if now >= due { settle(text) }
    }

    private mutating func settle(_ text: String) {
        settled = text
        awaitsSuperOver = false
        held = nil
        due = nil
    }
}
