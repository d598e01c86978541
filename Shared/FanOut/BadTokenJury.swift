import HTTP2

/// A token that APNs called bad, as it was then.
struct SuspectToken {
    var cohort: TokenCohort
    var slot: Int
    var key: RosterKey
    var tokenAt: Double
}

/// Tells bad tokens from a mistake of ours (sandbox tokens sent to production), when millions of answers come in minutes,
/// and when a handful does. One for each host: what one of them takes says nothing of another's address.
///
/// A token is proven once APNs has taken a push to it. Only answers to proven tokens say how the host does: a token can
/// be invented, a proven one cannot. Bad ones count by account, however many phones it has.
///
/// A proven token is believed bad after a second of answers behind it, unless more than one in twenty of those around it call
/// their token bad, or of all proven tokens more than one in twenty was called bad in the last minute. Few answers prove
/// little: then one token a minute is believed, and only where the host took as many pushes in that minute as it called bad.
/// One that was never proven is believed bad at its first such answer, if the host takes proven ones as it should and these
/// are the majority; a hundred a minute, should this be the mistake after all. A phone whose token is not believed bad is
/// sent to again after a while.
///
/// What came before a mistake must not vouch for it: of 100,000 phones that were fine a moment ago, one in twenty are 5,000.
package struct BadTokenJury<Suspect> {
    /// Fewer are few.
    private static var answersMin: Int { 40 }
    /// In nanoseconds.
    private static var windowTime: Int64 { 1_000_000_000 }
    private static var windowsKept: Int { 60 }
    /// After an answer that was not believed: a proven token is tried again after a minute at most, any other after this.
    package static var unprovenWait: Duration { .seconds(900) }
    /// How long accounts count after their last bad answer, in nanoseconds: until after the next one.
    private static var memory: Int64 { 65_000_000_000 }
    private static var unprovenMemory: Int64 { MonotonicTime.nanoseconds(unprovenWait) + 5_000_000_000 }
    /// Of a minute.
    private static var unprovenMax: Int { 100 }
    /// The most accounts with unproven bad tokens that are remembered: beyond them an attack changes nothing more.
    private static var accountsMax: Int { 10_000 }

    /// Answers to proven tokens.
    private struct Window {
        var good = 0
        /// Accounts.
        var bad = 0
        /// When it ended.
        var believed = 0
        var unprovenBelieved = 0

        var answers: Int { good + bad }

        static func + (one: Self, other: Self) -> Self {
            Self(
                good: one.good + other.good, bad: one.bad + other.bad, believed: one.believed + other.believed,
                unprovenBelieved: one.unprovenBelieved + other.unprovenBelieved)
        }
    }

    /// Those who wait for the window after their own.
    private struct Queue {
        var new: [Suspect] = []
        var waiting: [Suspect] = []

        mutating func take(_ most: Int, where stands: (Suspect) -> Bool) -> [Suspect] {
            defer { (waiting, new) = (new, []) }
            return most > 0 ? Array(waiting.lazy.filter(stands).prefix(most)) : []
        }
    }

    /// The last minute's, the newest last.
    private var windows: [Window] = []
    private var current = Window()
    private var proven = Queue()
    private var unproven = Queue()
    /// When a token of an account was last called bad, a proven one and any other.
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

    /// - Parameter account: a hash of whose token it is.
    package mutating func noteBad(_ suspect: Suspect, of account: UInt64, isProven: Bool) {
        guard isProven else {
            unproven.new.append(suspect)
            if unprovenBadAt.count < Self.accountsMax || unprovenBadAt[account] != nil { unprovenBadAt[account] = now }
            return
        }
        proven.new.append(suspect)
        if badAt[account].map({ $0 < endsAt - Self.windowTime }) ?? true { current.bad += 1 }
        badAt[account] = now
    }

    /// To be asked a few times a second.
    /// - Parameters:
    ///   - now: by `MonotonicTime`.
    ///   - phones: with a proven token; nil where the answers of the last minute are from as many phones as there are.
    ///   - stands: whether a suspect's token is still the one that was called bad.
    /// - Returns: those that are believed.
    package mutating func judge(now: Int64, phones: Int? = nil, where stands: (Suspect) -> Bool = { _ in true })
        -> [Suspect]
    {
        self.now = now
        guard now >= endsAt else { return [] }
        endsAt = now + Self.windowTime
        let around = (windows.last ?? Window()) + current
        windows.append(current)
        current = Window()
        if windows.count > Self.windowsKept { windows.removeFirst() }
        badAt = badAt.filter { now - $0.value < Self.memory }
        // Without phones to weigh them against they are weighed against the answers of a minute.
        let memory = phones == nil ? Self.memory : Self.unprovenMemory
        unprovenBadAt = unprovenBadAt.filter { now - $0.value < memory }
        let minute = windows.reduce(Window(), +)
        let isFine = isFine(around, minute, phones: phones ?? minute.good + badAt.count)
        let believed = proven.take(isFine ? most(around, minute) : 0, where: stands)
        let most = isFine ? mostUnproven(minute, phones: phones ?? minute.good, beside: believed.count) : 0
        let unprovenBelieved = unproven.take(most, where: stands)
        windows[windows.count - 1].believed = believed.count
        windows[windows.count - 1].unprovenBelieved = unprovenBelieved.count
        return believed + unprovenBelieved
    }

    /// Whether the host takes proven tokens as it should.
    private func isFine(_ around: Window, _ minute: Window, phones: Int) -> Bool {
        let bad = badAt.count
        if around.answers >= Self.answersMin, around.bad * 20 > around.answers { return false }
        return minute.answers >= Self.answersMin ? bad * 20 <= phones : bad <= minute.good
    }

    /// How many may be believed.
    private func most(_ around: Window, _ minute: Window) -> Int {
        // A single answer is always one in one.
        around.answers < Self.answersMin ? max(0, 1 - minute.believed) : .max
    }

    /// The same of those that were never proven. Where no proven token was sent to, nothing is known; nor where most are not
    /// proven: the few may be developers' phones on the wrong host.
    private func mostUnproven(_ minute: Window, phones: Int, beside believed: Int) -> Int {
        guard minute.good > 0, unprovenBadAt.count + badAt.count <= phones else { return 0 }
        if minute.answers < Self.answersMin { return max(0, 1 - minute.believed - minute.unprovenBelieved - believed) }
        return max(0, Self.unprovenMax - minute.unprovenBelieved)
    }
}
