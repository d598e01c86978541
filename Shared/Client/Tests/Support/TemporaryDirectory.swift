import FoundationEssentials
import Glibc

/// A new folder directly under /tmp, so that a socket path in it stays below 107 bytes.
public struct TemporaryDirectory: Sendable {
    public let path: String

    /// Creates the folder with mode 0700.
    public init(prefix: String = "ss") throws {
        var template = Array("/tmp/\(prefix)-XXXXXX".utf8CString)
        let made: String? = template.withUnsafeMutableBufferPointer { buffer in
            guard let base = buffer.baseAddress, let name = mkdtemp(base) else { return nil }
            return String(cString: name)
        }
        guard let made else { throw TestSupportError(description: "no temporary folder: errno \(errno)") }
        path = made
    }

    public func appending(_ name: String) -> String { "\(path)/\(name)" }

    /// Removes the folder and its contents.
    public func remove() {
        try? FileManager.default.removeItem(atPath: path)
    }
}

/// Runs `body` with a temporary folder, and removes it afterwards.
@discardableResult
public func withTemporaryDirectory<T>(_ body: (TemporaryDirectory) async throws -> T) async throws -> T {
    let folder = try TemporaryDirectory()
    defer { folder.remove() }
    return try await body(folder)
}
