/// A folder of files that may be lost, but are never half written. Its methods are synchronous: call them on a thread
/// that may block.
///
/// A file exists whole or not at all, also for another process (a widget) that reads the folder.
public protocol FileStore: Sendable {
    /// - Returns: the file's bytes; nil when there is no such file or it cannot be read.
    func read(_ name: String) -> [UInt8]?

    /// Writes a file in place of an earlier one.
    func write(_ bytes: [UInt8], to name: String) throws(FileStoreError)

    /// Moves a file to the end of the list.
    func touch(_ name: String)

    /// Removes a file, if it exists.
    func remove(_ name: String)

    /// Returns the files, beginning with the one that was written or touched longest ago.
    func list() -> [StoredFile]

    /// Removes the files that interrupted writes have left behind. They are not in the list.
    func tidy()
}

extension FileStore {
    public func tidy() {}
}

public struct StoredFile: Hashable, Sendable {
    public var name: String
    public var bytes: Int

    public init(name: String, bytes: Int) {
        self.name = name
        self.bytes = bytes
    }
}

/// The reason why a file was not written, for the log.
public struct FileStoreError: Error, Hashable, Sendable, CustomStringConvertible {
    public var description: String
    public init(_ description: String) { self.description = description }
}

/// The rule for file names: no folders, no hidden files, no characters with a meaning for a file system.
package enum FileName {
    static let lengthMax = 64

    package static func isGood(_ name: String) -> Bool {
        !name.isEmpty && name.utf8.count <= lengthMax && name.first != "."
            && name.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                    UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"):
                    true
                default: false
                }
            }
    }
}
