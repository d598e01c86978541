import Glibc

/// Names the seed on which the process dies, whatever kills it: a trap, a bad address, a stack that ran out, or no
/// progress for a minute.
enum CrashReport {
    /// What is worked on. A signal handler may read a plain word and nothing else.
    nonisolated(unsafe) private static var seed: UInt64 = 0

    static func install() {
        // A handler needs room when the stack itself is what ran out.
        let size = 64 << 10
        var stack = stack_t(ss_sp: malloc(size), ss_flags: 0, ss_size: size)
        sigaltstack(&stack, nil)
        for signal in [SIGILL, SIGTRAP, SIGSEGV, SIGBUS, SIGFPE, SIGABRT, SIGALRM] {
            var action = sigaction()
            action.__sigaction_handler.sa_handler = { CrashReport.report($0) }
            action.sa_flags = Int32(SA_ONSTACK)
            sigaction(signal, &action, nil)
        }
    }

    /// To be called before each trial.
    static func working(on seed: UInt64) {
        Self.seed = seed
        alarm(60)
    }

    static func done() { alarm(0) }

    private static func report(_ signal: Int32) {
        emit("\ndetection-lab fuzz: died of signal ")
        emit(UInt64(signal))
        emit(" at seed ")
        emit(seed)
        emit(signal == SIGALRM ? ": no end after 60 s\n" : "\n")
        _exit(3)
    }

    private static func emit(_ text: StaticString) {
        text.withUTF8Buffer { _ = write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }

    private static func emit(_ number: UInt64) {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { digits in
            var left = number
            var first = digits.count
            repeat {
                first -= 1
                digits[first] = UInt8(ascii: "0") + UInt8(left % 10)
                left /= 10
            } while left > 0
            _ = write(STDERR_FILENO, digits.baseAddress.map { $0 + first }, digits.count - first)
        }
    }
}
