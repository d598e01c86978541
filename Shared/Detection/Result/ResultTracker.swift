import Cricket
import SightscreenModels

/// Waits until a finished match has a result that can be announced.
///
/// `Finished` may come before its winner, or with the wrong one. The result is settled at once when winner, note and
/// runs agree; otherwise the runs decide after the result hold. A tie of limited overs waits for a super over. A result
/// without a winner has less to agree on, so a second answer has to say the same.
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
    /// The result without a winner that the last answer said first.
    private var saidOnce: String?
    /// Whether the first frame of the match had the result already, so that it is as old as the last ball.
    private(set) var isOld: Bool?

    /// - Parameter isFirst: whether it is the first frame of the match.
    mutating func observe(_ snapshot: MatchSnapshot, isFirst: Bool, now: Int64, timing: MatchTiming) {
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
        if isFirst { isOld = judged.isSettled || Self.isLongOver(snapshot, now: now, timing: timing) }
        if settled == nil || judged.isSettled {
            outcome = ResultNote.outcome(judged.text, in: snapshot)
        }
        awaitsSuperOver = if case .awaitingSuperOver = judged { true } else { false }
        let before = saidOnce
        saidOnce = nil
        switch judged {
        case .settled(let text) where settled == nil && snapshot.winnerID == nil && text != before:
            saidOnce = text
            hold(text, until: since + timing.resultHold, now: now)
        case .settled(let text):
            settle(text)
        case .awaitingSuperOver(let text):
            hold(text, until: since + timing.superOverWait, now: now)
        case .unsettled(let text):
            // An announced result stays until winner, note and runs agree on another one.
            if settled == nil { hold(text, until: since + timing.resultHold, now: now) }
        }
    }

    /// Whether the last ball is so old that whatever is still to be said of the match is no news.
    private static func isLongOver(_ snapshot: MatchSnapshot, now: Int64, timing: MatchTiming) -> Bool {
        let last = snapshot.innings.last { !$0.balls.isEmpty }?.balls.last?.updatedAt ?? 0
        return now - Int64(clamping: last) * 1_000 > timing.resultHold
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
