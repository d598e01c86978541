import FoundationEssentials
import Glibc

/// Lines for a person. Standard output is for results, standard error for what is going on.
enum Output {
    static var isTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

    /// Whether a card of this many columns can be drawn, and drawn again in place.
    static func canRedraw(columns: Int) -> Bool {
        guard isTerminal, ProcessInfo.processInfo.environment["TERM"] != "dumb" else { return false }
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0 else { return false }
        // A serial console that does not know its size says 0.
        return size.ws_col == 0 || Int(size.ws_col) >= columns
    }

    /// Writes at once, also into a pipe: a log that is read while the match is on must not lag by a buffer.
    static func line(_ text: String) { write(text + "\n", to: STDOUT_FILENO) }

    static func error(_ text: String) { write(text + "\n", to: STDERR_FILENO) }

    static func write(_ text: String, to descriptor: Int32 = STDOUT_FILENO) {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let written = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if written > 0 { bytes = bytes.dropFirst(written) } else if errno != EINTR { return }
        }
    }
}
