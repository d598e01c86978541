import Cricket
import SightscreenModels

/// Waits until a finished match has a result that can be announced.
///
/// `Finished` may come before its winner, or with the wrong one: the result is settled at once when winner, note and runs
/// agree, else the runs decide after the result hold. A tie of limited overs waits for a super over.
struct ResultWatch: Codable, Sendable, Equatable {
    /// When the provider first said that the match is over, milliseconds; nil while it is not.
    private(set) var finishedAt: Int64?
    /// The result that is announced.
    private(set) var settled: String?
    /// How the match ended, by what is announced or, until then, held; nil while neither is known.
    private(set) var outcome: ContentState.Outcome?
    /// What is announced at `due`, should nothing better be known by then.
    private(set) var held: String?
    private(set) var due: Int64?
    /// Level, and a super over may follow. Nil in what a former release stored.
    private(set) var awaitsSuperOver: Bool?

    /// Takes in a frame.
    mutating func observe(_ snapshot: MatchSnapshot, now: Int64, timing: MatchTiming) {
        // A word that nobody knows, or none, says nothing about a result that is announced.
        if case .unknown = snapshot.phase, settled != nil { return }
        guard ResultJudge.isOver(snapshot.phase) else {
            self = ResultWatch()
            return
        }
        let since = finishedAt ?? now
        finishedAt = since
        let verdict = ResultJudge.judge(snapshot)
        if settled == nil || verdict.isSettled {
            outcome = ResultNote.outcome(verdict.text, in: snapshot)
        }
        awaitsSuperOver = if case .awaitingSuperOver = verdict { true } else { false }
        switch verdict {
        case .settled(let text):
            settle(text)
        case .awaitingSuperOver(let text):
            hold(text, until: since + timing.superOverWait, now: now)
        case .unsettled(let text):
            // What was announced stays until the provider agrees with itself on something else.
            if settled == nil { hold(text, until: since + timing.resultHold, now: now) }
        }
    }

    /// Lets the held result stand when its time has come. Returns whether it did so now.
    mutating func tick(now: Int64) -> Bool {
        guard settled == nil, let held, let due, now >= due else { return false }
        settle(held)
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
