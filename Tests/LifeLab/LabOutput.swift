import Glibc

/// Lines for people go to standard error, results to standard output.
enum LabOutput {
    /// How it was called: a command that is printed can be repeated as it is.
    static var program: String { CommandLine.arguments.first ?? "life-lab" }

    static func line(_ text: String) { write(text + "\n", to: STDOUT_FILENO) }
    static func note(_ text: String) { write(text + "\n", to: STDERR_FILENO) }

    private static func write(_ text: String, to descriptor: Int32) {
        var left = Array(text.utf8)[...]
        while !left.isEmpty {
            let count = left.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            // A reader that is gone wants no more.
            guard count > 0 || errno == EINTR else { return }
            left = left.dropFirst(max(count, 0))
        }
    }
}
