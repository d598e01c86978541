/// A token that APNs called bad, as it was then.
struct SuspectToken {
    var cohort: TokenCohort
    var slot: Int
    var key: RosterKey
    var tokenAt: Double
}

/// Tells a few bad tokens from a mistake of ours (sandbox tokens sent to production), when millions of answers come in
/// minutes: no token is believed bad before a second of answers behind it is in, and none when more than one in twenty of
/// those around it, or of the last minute's, calls its token bad.
///
/// What came before a mistake must not vouch for it: of 100,000 phones that were fine a moment ago, one in twenty are 5,000.
struct BadTokenJury<Suspect> {
    /// Fewer say nothing.
    private static var answersMin: Int { 40 }
    /// In nanoseconds.
    private static var windowTime: Int64 { 1_000_000_000 }
    private static var windowsKept: Int { 60 }

    private struct Window {
        var answers = 0
        var bad = 0

        var isFine: Bool { answers < BadTokenJury.answersMin || bad * 20 <= answers }

        static func + (one: Self, other: Self) -> Self {
            Self(answers: one.answers + other.answers, bad: one.bad + other.bad)
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
        let isFine = around.isFine && windows.reduce(Window(), +).isFine
        defer {
            waiting = suspects
            suspects = []
            current = Window()
        }
        return isFine ? waiting : []
    }
}
