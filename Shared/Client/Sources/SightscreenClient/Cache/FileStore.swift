/// One folder of files that may be lost, but never half written. Synchronous: to be called where a thread may stand still.
///
/// A file is there whole or not at all, also for another process (a widget) that reads the folder.
public protocol FileStore: Sendable {
    /// - Returns: nil when there is no such file, or it cannot be read.
    func read(_ name: String) -> [UInt8]?

    /// In place of what was there.
    func write(_ bytes: [UInt8], to name: String) throws(FileStoreError)

    /// Makes a file the last of the list.
    func touch(_ name: String)

    /// No error when there is none.
    func remove(_ name: String)

    /// What is there, the file first that was written or touched longest ago.
    func list() -> [StoredFile]

    /// Removes what interrupted writes have left behind, which is not in the list.
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

/// Why nothing was written; for the log.
public struct FileStoreError: Error, Hashable, Sendable, CustomStringConvertible {
    public var description: String
    public init(_ description: String) { self.description = description }
}

/// What a file may be called: no folders, nothing hidden, nothing that a file system takes for something else.
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
