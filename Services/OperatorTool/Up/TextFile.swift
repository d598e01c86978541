import FoundationEssentials

/// Small text files: read whole or not at all.
enum TextFile {
    static func read(_ path: String) -> String? {
        FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) }
    }

    static func lastLine(of path: String) -> String? {
        read(path)?.split(separator: "\n", omittingEmptySubsequences: true).last.map(String.init)
    }

    /// Written for its owner alone, and whole or not at all.
    static func write(_ text: String, to path: String, permissions: Int = 0o600) throws {
        try Data(text.utf8).write(to: URL(filePath: path), options: .atomic)
        try FileManager.default.setAttributes([.posixPermissions: permissions], ofItemAtPath: path)
    }
}
