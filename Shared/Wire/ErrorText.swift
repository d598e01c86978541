import Glibc
import NIOCore

/// An error as a log line or another error quotes it.
enum ErrorText {
    /// What the operating system refuses is said in its own words: NIO's name a function of NIO's, and close a bracket that
    /// nobody has opened.
    static func of(_ error: any Error) -> String {
        guard let error = error as? IOError else { return "\(error)" }
        return String(cString: strerror(error.errnoCode))
    }
}
