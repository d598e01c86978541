import Glibc

/// Processor time of this process: what a machine that is busy with others does not change.
struct CPUClock {
    private let begun = Self.now()

    /// Since it was made.
    var milliseconds: Double { Self.now() - begun }

    private static func now() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) * 1_000 + Double(time.tv_nsec) / 1_000_000
    }

    /// The most memory that this process has had, MiB.
    static var peakMemory: Int {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        return usage.ru_maxrss >> 10
    }
}
