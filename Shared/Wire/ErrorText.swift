import Glibc
import NIOCore

/// The text of an error for a log line or another error.
enum ErrorText {
    /// Returns an error's text. An error of the operating system has the system's own words, because NIO's text names a
    /// function of NIO and has an unbalanced bracket.
    static func of(_ error: any Error) -> String {
        guard let error = error as? IOError else { return "\(error)" }
        return String(cString: strerror(error.errnoCode))
    }
}
