import HTTP2

/// A token that APNs called bad, until the detector of a loop rejects it.
enum BadTokenCandidate {
    case registered(CandidateToken)
    case ended(EndedToken)
}

/// A registered token at the time when APNs called it bad.
struct CandidateToken {
    var cohort: TokenCohort
    var slot: Int
    var key: RosterKey
    var tokenAt: Double
}

/// Tells bad tokens from a mistake of ours (sandbox tokens sent to production), whether millions of answers come in
/// minutes or only a handful. There is one detector per host, because what one host accepts says nothing about
/// another's address.
///
/// A token is proven once APNs has accepted a push to it. Only answers to proven tokens tell how the host does, because
/// anyone can invent a token but not a proven one. Bad answers count by account, however many phones an account has.
///
/// A proven token is rejected after a further second of answers, unless more than one in twenty of the answers around
/// its own call their token bad, or more than one in twenty of all proven tokens was called bad in the last minute. Few
/// answers prove little: then one token a minute is rejected, and only where the host accepted at least as many pushes
/// in that minute as it called bad. A token that was never proven is rejected at its first such answer, if the host
/// accepts proven ones as it should and these are the majority; at most a hundred a minute, in case it is our mistake
/// after all. A phone whose token is not rejected is sent to again after a while.
///
/// Answers from before a mistake must not outweigh it: of 100,000 phones that were fine a moment ago, one in twenty are
/// 5,000.
package struct BadTokenDetector<Candidate> {
    /// The number of answers from which their shares are meaningful.
    private static var answersMin: Int { 40 }
    /// The length of a window of answers, in nanoseconds.
    private static var windowTime: Int64 { 1_000_000_000 }
    private static var windowsKept: Int { 60 }
    /// The longest wait after an answer that led to no rejection, for a token that was never proven; a proven token is
    /// tried again after a minute at most.
    package static var unprovenWait: Duration { .seconds(900) }
    /// How long an account counts after its last bad answer, in nanoseconds: until after the answer to the next try.
    private static var memory: Int64 { 65_000_000_000 }
    private static var unprovenMemory: Int64 { MonotonicTime.nanoseconds(unprovenWait) + 5_000_000_000 }
    /// The most unproven tokens that are rejected in a minute.
    private static var unprovenMax: Int { 100 }
    /// The most accounts with unproven bad tokens that are remembered; more would not change the result, and an attack
    /// cannot fill the memory.
    private static var accountsMax: Int { 10_000 }

    /// Counts of the answers to proven tokens in one second.
    private struct Window {
        var good = 0
        /// The number of accounts with a bad answer.
        var bad = 0
        /// Tokens rejected at the end of the window, proven ones and any others.
        var believed = 0
        var unprovenBelieved = 0

        var answers: Int { good + bad }

        static func + (one: Self, other: Self) -> Self {
            Self(
                good: one.good + other.good, bad: one.bad + other.bad, believed: one.believed + other.believed,
                unprovenBelieved: one.unprovenBelieved + other.unprovenBelieved)
        }
    }
    /// Candidates that wait for the window after their own.
    private struct Queue {
        var new: [Candidate] = []
        var waiting: [Candidate] = []

        mutating func take(_ most: Int, where isCurrent: (Candidate) -> Bool) -> [Candidate] {
            defer { (waiting, new) = (new, []) }
            return most > 0 ? Array(waiting.lazy.filter(isCurrent).prefix(most)) : []
        }
    }

    /// The windows of the last minute, the newest last.
    private var windows: [Window] = []
    private var current = Window()
    private var proven = Queue()
    private var unproven = Queue()
    /// When a token of each account was last called bad: a proven one, and any other.
    private var badAt: [UInt64: Int64] = [:]
    private var unprovenBadAt: [UInt64: Int64] = [:]
    private var now: Int64
    private var endsAt: Int64

    /// - Parameter now: by `MonotonicTime`.
    package init(now: Int64) {
        self.now = now
        endsAt = now + Self.windowTime
    }

    package mutating func noteGood(isProven: Bool) { if isProven { current.good += 1 } }

    /// - Parameter account: a hash of the user who has the token.
    package mutating func noteBad(_ candidate: Candidate, of account: UInt64, isProven: Bool) {
        guard isProven else {
            unproven.new.append(candidate)
            if unprovenBadAt.count < Self.accountsMax || unprovenBadAt[account] != nil { unprovenBadAt[account] = now }
            return
        }
        proven.new.append(candidate)
        if badAt[account].map({ $0 < endsAt - Self.windowTime }) ?? true { current.bad += 1 }
        badAt[account] = now
    }

    /// Evaluates the candidates; must be called a few times a second.
    /// - Parameters:
    ///   - now: by `MonotonicTime`.
    ///   - phones: the number of phones with a proven token; nil where the answers of the last minute come from as many
    ///     phones as there are.
    ///   - isCurrent: whether a candidate's token is still the one that was called bad.
    /// - Returns: the candidates whose tokens are rejected.
    package mutating func evaluate(now: Int64, phones: Int? = nil, where isCurrent: (Candidate) -> Bool = { _ in true })
        -> [Candidate]
    {
        self.now = now
        guard now >= endsAt else { return [] }
        endsAt = now + Self.windowTime
        let around = (windows.last ?? Window()) + current
        windows.append(current)
        current = Window()
        if windows.count > Self.windowsKept { windows.removeFirst() }
        badAt = badAt.filter { now - $0.value < Self.memory }
        // Without a number of phones, bad answers are weighed against the answers of a minute.
        let memory = phones == nil ? Self.memory : Self.unprovenMemory
        unprovenBadAt = unprovenBadAt.filter { now - $0.value < memory }
        let minute = windows.reduce(Window(), +)
        let isFine = isFine(around, minute, phones: phones ?? minute.good + badAt.count)
        let believed = proven.take(isFine ? most(around, minute) : 0, where: isCurrent)
        let most = isFine ? mostUnproven(minute, phones: phones ?? minute.good, beside: believed.count) : 0
        let unprovenBelieved = unproven.take(most, where: isCurrent)
        windows[windows.count - 1].believed = believed.count
        windows[windows.count - 1].unprovenBelieved = unprovenBelieved.count
        return believed + unprovenBelieved
    }

    /// Whether the host accepts proven tokens as it should.
    private func isFine(_ around: Window, _ minute: Window, phones: Int) -> Bool {
        let bad = badAt.count
        if around.answers >= Self.answersMin, around.bad * 20 > around.answers { return false }
        return minute.answers >= Self.answersMin ? bad * 20 <= phones : bad <= minute.good
    }
    /// Returns how many candidates may be rejected.
    private func most(_ around: Window, _ minute: Window) -> Int {
        // With few answers no share is meaningful: a single bad answer is one in one.
        around.answers < Self.answersMin ? max(0, 1 - minute.believed) : .max
    }
    /// Returns how many candidates whose tokens were never proven may be rejected: none without an accepted push,
    /// because then nothing is known about the host; and none where accounts with bad tokens outnumber the phones with
    /// proven ones, because those may be developers' phones on the wrong host.
    private func mostUnproven(_ minute: Window, phones: Int, beside believed: Int) -> Int {
        guard minute.good > 0, unprovenBadAt.count + badAt.count <= phones else { return 0 }
        if minute.answers < Self.answersMin { return max(0, 1 - minute.believed - minute.unprovenBelieved - believed) }
        return max(0, Self.unprovenMax - minute.unprovenBelieved)
    }
}
