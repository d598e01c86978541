/// A token that APNs called bad, as it was then.
struct SuspectToken {
    var cohort: TokenCohort
    var slot: Int
    var key: RosterKey
    var tokenAt: Double
}

/// Tells a few bad tokens from a mistake of ours (sandbox tokens sent to production), when millions of answers come in
/// minutes, and when a handful does. One for each host: what one of them takes says nothing of another's address.
///
/// No token is believed bad before a second of answers behind it is in, and none when more than one in twenty of those
/// around it, or of the last minute's, calls its token bad. Few answers prove little: then one token a minute is believed,
/// and only where the host took as many pushes in that minute as it called bad. Who is not believed is asked again.
///
/// What came before a mistake must not vouch for it: of 100,000 phones that were fine a moment ago, one in twenty are 5,000.
struct BadTokenJury<Suspect> {
    /// Fewer are few.
    private static var answersMin: Int { 40 }
    /// In nanoseconds.
    private static var windowTime: Int64 { 1_000_000_000 }
    private static var windowsKept: Int { 60 }

    private struct Window {
        var answers = 0
        var bad = 0
        /// When it ended.
        var believed = 0

        var isFew: Bool { answers < BadTokenJury.answersMin }
        var isFine: Bool { bad * (isFew ? 2 : 20) <= answers }

        static func + (one: Self, other: Self) -> Self {
            Self(
                answers: one.answers + other.answers, bad: one.bad + other.bad, believed: one.believed + other.believed)
        }
    }

    /// The last minute's, the newest last.
    private var windows: [Window] = []
    private var current = Window()
    private var suspects: [Suspect] = []
    /// Of the window before: these are decided next.
    private var waiting: [Suspect] = []
    private var endsAt: Int64 = 0

    mutating func noteGood() { current.answers += 1 }

    mutating func noteBad(_ suspect: Suspect) {
        current.answers += 1
        current.bad += 1
        suspects.append(suspect)
    }

    /// To be asked a few times a second.
    /// - Parameter now: by `MonotonicTime`.
    /// - Returns: those that are believed.
    mutating func judge(now: Int64) -> [Suspect] {
        guard now >= endsAt else { return [] }
        endsAt = now + Self.windowTime
        let around = (windows.last ?? Window()) + current
        windows.append(current)
        if windows.count > Self.windowsKept { windows.removeFirst() }
        let believed = Array(waiting.prefix(most(around, minute: windows.reduce(Window(), +))))
        windows[windows.count - 1].believed = believed.count
        waiting = suspects
        suspects = []
        current = Window()
        return believed
    }

    /// How many may be believed.
    private func most(_ around: Window, minute: Window) -> Int {
        guard minute.isFine else { return 0 }
        // A single answer is always one in one.
        if around.isFew { return max(0, 1 - minute.believed) }
        return around.isFine ? .max : 0
    }
}
