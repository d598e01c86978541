/// How many pushes to one host may be repetitions: what is sent once more because APNs did not take it adds to the load
/// that it is in trouble with.
///
/// While the last answers are good, any number: those are few. Otherwise a twelfth of what was sent for the first
/// time within the last ten seconds, or a thousandth of all phones each second where little is sent, so that everybody gets
/// the newest state in the end. After a stop of the host 32 repetitions ask, and their answers decide: one push that was taken
/// says too little of the next thousands.
struct RetryBudget {
    private static let windowSeconds = 10
    /// One repetition for so many first pushes.
    private static let firstsPerRepetition = 12
    private static let phonesPerRepetition = 1_000
    private static let repetitionsMin = 2
    /// Among the last 32 answers.
    private static let failuresMax = 1

    /// Of each second of the window; the current one is at `second % windowSeconds`.
    private var firsts = [Int](repeating: 0, count: windowSeconds)
    private var repetitions = [Int](repeating: 0, count: windowSeconds)
    private var firstsInAll = 0
    private var repetitionsInAll = 0
    private var second: Int64 = 0
    private var phones = 0
    /// The last 32 answers: 1 for each push that has to be sent once more.
    private var answers: UInt32 = 0
    /// Repetitions that still ask after a stop.
    private var trial = 0

    /// The last answers are good.
    var isWell: Bool { answers.nonzeroBitCount <= Self.failuresMax }

    /// Repetitions that may be sent now.
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

    /// The host takes pushes again: what it answers to the first of them decides.
    mutating func recover() {
        answers = .max
        trial = answers.bitWidth
    }

    /// - Parameters:
    ///   - time: by `MonotonicTime`.
    ///   - phones: that the host is to reach.
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
