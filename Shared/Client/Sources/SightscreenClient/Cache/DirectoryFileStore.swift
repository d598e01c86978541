#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A `FileStore` in a folder of the file system.
public struct DirectoryFileStore: FileStore {
    /// The largest file that is read, in bytes. A larger one does not belong to this store.
    public static let fileBytesMax = 8 << 20
    /// The age, in seconds, from which an unfinished write is taken for interrupted. A younger one may belong to
    /// another process.
    static let leftoverSeconds = 3_600.0

    /// The folder's path, without a slash at its end. The folder is made with its first file.
    public let path: String

    public init(path: String) { self.path = path }

    public func read(_ name: String) -> [UInt8]? {
        guard FileName.isGood(name), let bytes = size(of: name), bytes <= Self.fileBytesMax,
            let data = FileManager.default.contents(atPath: "\(path)/\(name)")
        else { return nil }
        return [UInt8](data)
    }

    public func write(_ bytes: [UInt8], to name: String) throws(FileStoreError) {
        guard FileName.isGood(name) else { throw FileStoreError("\(name) is no name for a file") }
        do {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
            // The bytes go to a temporary file beside it, which then replaces it.
            try Data(bytes).write(to: URL(filePath: "\(path)/\(name)"), options: .atomic)
        } catch { throw FileStoreError("\(error)") }
    }

    public func touch(_ name: String) {
        guard FileName.isGood(name) else { return }
        try? FileManager.default.setAttributes([.modificationDate: Date()], ofItemAtPath: "\(path)/\(name)")
    }

    public func remove(_ name: String) {
        guard FileName.isGood(name) else { return }
        try? FileManager.default.removeItem(atPath: "\(path)/\(name)")
    }

    public func list() -> [StoredFile] {
        struct Entry {
            var file: StoredFile
            var usedAt: Double
        }
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        // Files left behind by interrupted writes do not belong to the store.
        let entries = names.filter { FileName.isGood($0) }.compactMap { name -> Entry? in
            guard let attributes = try? FileManager.default.attributesOfItem(atPath: "\(path)/\(name)"),
                attributes[.type] as? FileAttributeType == .typeRegular
            else { return nil }
            let usedAt = (attributes[.modificationDate] as? Date)?.timeIntervalSince1970 ?? 0
            return Entry(file: StoredFile(name: name, bytes: Self.size(attributes)), usedAt: usedAt)
        }
        return entries.sorted { ($0.usedAt, $0.file.name) < ($1.usedAt, $1.file.name) }.map(\.file)
    }

    public func tidy() {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        // Files are first written under a hidden name.
        for name in names where name.hasPrefix(".") {
            guard let attributes = try? FileManager.default.attributesOfItem(atPath: "\(path)/\(name)"),
                attributes[.type] as? FileAttributeType == .typeRegular,
                let writtenAt = attributes[.modificationDate] as? Date,
                Date().timeIntervalSince(writtenAt) > Self.leftoverSeconds
            else { continue }
            try? FileManager.default.removeItem(atPath: "\(path)/\(name)")
        }
    }

    private func size(of name: String) -> Int? {
        (try? FileManager.default.attributesOfItem(atPath: "\(path)/\(name)")).map(Self.size)
    }

    /// Returns the size, which is a number of another type in each Foundation: an Objective-C number, or a Swift
    /// integer where there is no Objective-C.
    private static func size(_ attributes: [FileAttributeKey: Any]) -> Int {
        switch attributes[.size] {
        case let size as UInt64: Int(clamping: size)
        case let size as UInt: Int(clamping: size)
        case let size as Int: size
        default: 0
        }
    }
}
