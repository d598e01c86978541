import FoundationEssentials
import Glibc

/// Small text files: read whole or not at all.
enum TextFile {
    static func read(_ path: String) -> String? {
        FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) }
    }

    /// The file on which an operation failed, and the reason in the system's words.
    static func reason(_ error: any Error) -> String {
        guard let error = error as? CocoaError, let cause = error.underlying as? POSIXError else { return "\(error)" }
        return "\(error.filePath ?? "a file"): \(String(cString: strerror(cause.code.rawValue)))"
    }

    static func lastLine(of path: String) -> String? {
        read(path)?.split(separator: "\n", omittingEmptySubsequences: true).last.map(String.init)
    }

    /// Writes a file for its owner alone, whole or not at all.
    static func write(_ text: String, to path: String, permissions: Int = 0o600) throws {
        try Data(text.utf8).write(to: URL(filePath: path), options: .atomic)
        try FileManager.default.setAttributes([.posixPermissions: permissions], ofItemAtPath: path)
    }
}
