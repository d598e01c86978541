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
/// A token is proven once APNs has taken a push to it. Only answers to proven tokens say how the host does: anybody can
/// invent tokens, and nobody proven ones. Of an account one bad answer a minute counts, whatever number of phones it has.
///
/// A proven token is believed bad after a second of answers behind it, unless more than one in twenty of those around it, or
/// of the last minute's, call their token bad. Few answers prove little: then one token a minute is believed, and only where
/// the host took as many pushes in that minute as it called bad. One that was never proven is believed bad at its first such
/// answer, if the host takes proven ones as it should; a hundred a minute, should this be the mistake after all. Who is not
/// believed is asked again.
///
/// What came before a mistake must not vouch for it: of 100,000 phones that were fine a moment ago, one in twenty are 5,000.
struct BadTokenJury<Suspect> {
    /// Fewer are few.
    private static var answersMin: Int { 40 }
    /// In nanoseconds.
    private static var windowTime: Int64 { 1_000_000_000 }
    private static var windowsKept: Int { 60 }
    /// Of a minute.
    private static var unprovenMax: Int { 100 }
    /// Accounts whose bad answers are told apart. With more of them in a minute it is a mistake of ours, however they count.
    private static var accountsMax: Int { 10_000 }

    private struct Window {
        /// Of proven tokens.
        var answers = 0
        var bad = 0
        /// When it ended.
        var believed = 0
        var unprovenBelieved = 0

        var isFew: Bool { answers < BadTokenJury.answersMin }
        var isFine: Bool { bad * (isFew ? 2 : 20) <= answers }

        static func + (one: Self, other: Self) -> Self {
            Self(
                answers: one.answers + other.answers, bad: one.bad + other.bad, believed: one.believed + other.believed,
                unprovenBelieved: one.unprovenBelieved + other.unprovenBelieved)
        }
    }

    /// Those who wait for the window after their own.
    private struct Queue {
        var new: [Suspect] = []
        var waiting: [Suspect] = []

        mutating func take(_ most: Int) -> [Suspect] {
            defer { (waiting, new) = (new, []) }
            return Array(waiting.prefix(most))
        }
    }

    /// The last minute's, the newest last.
    private var windows: [Window] = []
    private var current = Window()
    private var proven = Queue()
    private var unproven = Queue()
    /// When the last bad answer of an account was counted.
    private var countedAt: [UInt64: Int64] = [:]
    private var now: Int64 = 0
    private var endsAt: Int64 = 0

    mutating func noteGood(isProven: Bool) { if isProven { current.answers += 1 } }

    /// - Parameter account: a hash of whose token it is.
    mutating func noteBad(_ suspect: Suspect, of account: UInt64, isProven: Bool) {
        guard isProven else { return unproven.new.append(suspect) }
        proven.new.append(suspect)
        guard countedAt[account] == nil else { return }
        if countedAt.count < Self.accountsMax { countedAt[account] = now }
        current.answers += 1
        current.bad += 1
    }

    /// To be asked a few times a second.
    /// - Parameter now: by `MonotonicTime`.
    /// - Returns: those that are believed.
    mutating func judge(now: Int64) -> [Suspect] {
        self.now = now
        guard now >= endsAt else { return [] }
        endsAt = now + Self.windowTime
        let around = (windows.last ?? Window()) + current
        windows.append(current)
        current = Window()
        if windows.count > Self.windowsKept { windows.removeFirst() }
        countedAt = countedAt.filter { now - $0.value < Int64(Self.windowsKept) * Self.windowTime }
        let minute = windows.reduce(Window(), +)
        let believed = proven.take(most(around, minute))
        let unprovenBelieved = unproven.take(mostUnproven(around, minute, believed.count))
        windows[windows.count - 1].believed = believed.count
        windows[windows.count - 1].unprovenBelieved = unprovenBelieved.count
        return believed + unprovenBelieved
    }

    /// How many may be believed.
    private func most(_ around: Window, _ minute: Window) -> Int {
        guard minute.isFine else { return 0 }
        // A single answer is always one in one.
        if around.isFew { return max(0, 1 - minute.believed) }
        return around.isFine ? .max : 0
    }

    /// The same of those that were never proven. Where no proven token was sent to, nothing is known.
    private func mostUnproven(_ around: Window, _ minute: Window, _ believed: Int) -> Int {
        guard minute.answers > 0, minute.isFine, around.isFine else { return 0 }
        if minute.isFew { return max(0, 1 - minute.believed - minute.unprovenBelieved - believed) }
        return max(0, Self.unprovenMax - minute.unprovenBelieved)
    }
}
