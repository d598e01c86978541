/// A cache of files that survives the app, of one version of what is in them. When the version changes, all of it is
/// discarded at the first use; what cannot be read is as if it had never been there.
///
/// It works on a thread of its own, so that a disk that is slow, or stands still, holds up nobody but who waits for it.
public actor DiskCacheStore {
    public struct Limits: Hashable, Sendable {
        public var files: Int
        public var bytes: Int

        public init(files: Int, bytes: Int) {
            self.files = files
            self.bytes = bytes
        }
    }

    public struct Entry: Hashable, Sendable {
        public var key: String
        /// Seconds since 1970.
        public var savedAt: Int
        public var value: [UInt8]
    }

    static let schemaFile = "schema"

    public nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }

    private nonisolated let queue = DiskQueue(label: "sightscreen.disk-cache")
    private let files: any FileStore
    private let schemaVersion: Int
    private let limits: Limits
    private var isOpen = false
    /// What the folder held when it was looked at last, and what was added since: never less than there is, but for what
    /// another process has added.
    private var fileCount = 0
    private var byteCount = 0

    /// - Parameter limits: when they are exceeded, what was used longest ago goes until a tenth of them is free.
    public init(files: any FileStore, schemaVersion: Int, limits: Limits) {
        self.files = files
        self.schemaVersion = schemaVersion
        self.limits = limits
    }

    public func entry(_ key: String) -> Entry? {
        open()
        let name = CacheFile.name(of: key)
        guard let bytes = files.read(name) else { return nil }
        guard let file = CacheFile(bytes, schema: schemaVersion) else {
            files.remove(name)
            return nil
        }
        // Another key of the same hash is not this one.
        guard file.key == key else { return nil }
        files.touch(name)
        return Entry(key: file.key, savedAt: file.savedAt, value: file.value)
    }

    /// - Returns: false when it could not be written. What was there for the key is gone then, too.
    @discardableResult
    public func store(_ value: [UInt8], for key: String, savedAt: Int) -> Bool {
        open()
        let name = CacheFile.name(of: key)
        let bytes = CacheFile(key: key, savedAt: savedAt, value: value).bytes(schema: schemaVersion)
        guard bytes.count <= limits.bytes / 4 else {
            files.remove(name)
            return false
        }
        do { try files.write(bytes, to: name) } catch {
            // What is there is older than what its key stands for now.
            files.remove(name)
            return false
        }
        fileCount += 1
        byteCount += bytes.count
        if fileCount > limits.files || byteCount > limits.bytes { makeRoom() }
        return true
    }

    public func remove(_ key: String) { files.remove(CacheFile.name(of: key)) }

    public func removeAll() {
        for file in files.list() { files.remove(file.name) }
        isOpen = false
    }

    // MARK: -

    private func open() {
        guard !isOpen else { return }
        let version = Array(String(schemaVersion).utf8)
        let there = files.list()
        let found = files.read(Self.schemaFile)
        // It is there and cannot be read: the phone has not been unlocked since it was started, and nothing of it can.
        // That is no other version. Until it can be read, each file's own version decides.
        isOpen = found != nil || !there.contains { $0.name == Self.schemaFile }
        if isOpen {
            files.tidy()
            if found != version {
                for file in there { files.remove(file.name) }
                // When this fails it is all discarded again at the next launch; each file has the version in it, too.
                try? files.write(version, to: Self.schemaFile)
            }
        }
        count(files.list())
        if fileCount > limits.files || byteCount > limits.bytes { makeRoom() }
    }

    private func makeRoom() {
        var there = files.list().filter { $0.name != Self.schemaFile }[...]
        count(there)
        guard fileCount > limits.files || byteCount > limits.bytes else { return }
        while let oldest = there.first, fileCount > limits.files * 9 / 10 || byteCount > limits.bytes * 9 / 10 {
            files.remove(oldest.name)
            there = there.dropFirst()
            fileCount -= 1
            byteCount -= oldest.bytes
        }
    }

    private func count(_ there: some Sequence<StoredFile>) {
        (fileCount, byteCount) = there.reduce((0, 0)) { sum, file in
            file.name == Self.schemaFile ? sum : (sum.0 + 1, sum.1 + file.bytes)
        }
    }
}
