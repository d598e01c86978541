/// Limits the repetitions among the pushes to one host: a push that is sent again because APNs did not accept it adds
/// to the load that the host is in trouble with.
///
/// While the last answers are good there is no limit, because repetitions are few then. Otherwise the limit is a
/// twelfth of what was sent for the first time in the last ten seconds, or, where little is sent, a thousandth of all
/// phones per second, so that every phone gets the newest state in the end. After a stop of the host, 32 repetitions
/// are sent as a trial and their answers decide, because one accepted push says too little about the next thousands.
struct RetryBudget {
    private static let windowSeconds = 10
    /// First pushes for each repetition.
    private static let firstsPerRepetition = 12
    private static let phonesPerRepetition = 1_000
    private static let repetitionsMin = 2
    /// Failures among the last 32 answers that still count as good.
    private static let failuresMax = 1

    /// Counts for each second of the window; the current second is at `second % windowSeconds`.
    private var firsts = [Int](repeating: 0, count: windowSeconds)
    private var repetitions = [Int](repeating: 0, count: windowSeconds)
    private var firstsInAll = 0
    private var repetitionsInAll = 0
    private var second: Int64 = 0
    private var phones = 0
    /// The last 32 answers: 1 for each push that has to be sent once more.
    private var answers: UInt32 = 0
    /// Repetitions left in the trial after a stop.
    private var trial = 0

    /// Whether the last answers are good.
    var isWell: Bool { answers.nonzeroBitCount <= Self.failuresMax }

    /// The number of repetitions that may be sent now.
    var room: Int { isWell ? .max : max(trial, most - repetitionsInAll) }

    private var most: Int {
        let floor = max(Self.repetitionsMin, phones / Self.phonesPerRepetition) * Self.windowSeconds
        return max(firstsInAll / Self.firstsPerRepetition, floor)
    }

    mutating func sent(isRepetition: Bool) {
        let now = Int(second % Int64(Self.windowSeconds))
        if isRepetition {
            trial = max(0, trial - 1)
            repetitions[now] += 1
            repetitionsInAll += 1
        } else {
            firsts[now] += 1
            firstsInAll += 1
        }
    }

    mutating func answered(mustBeRepeated: Bool) { answers = answers << 1 | (mustBeRepeated ? 1 : 0) }

    /// Starts the trial, because the host accepts pushes again: its answers to the first repetitions decide.
    mutating func recover() {
        answers = .max
        trial = answers.bitWidth
    }

    /// - Parameters:
    ///   - time: by `MonotonicTime`.
    ///   - phones: the number of activities that the host serves.
    mutating func tick(_ time: Int64, phones: Int) {
        self.phones = phones
        let now = time / 1_000_000_000
        guard now > second else { return }
        for passed in 1...min(now - second, Int64(Self.windowSeconds)) {
            let old = Int((second + passed) % Int64(Self.windowSeconds))
            firstsInAll -= firsts[old]
            repetitionsInAll -= repetitions[old]
            firsts[old] = 0
            repetitions[old] = 0
        }
        second = now
    }
}
