/// A cache of files that survives the app, for one version of the values in it. When the version changes, the whole
/// cache is discarded at the first use. A file that cannot be read counts as absent.
///
/// It works on a thread of its own, so that a slow or stalled disk delays only the callers that wait for it.
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
    /// The contents of the folder when it was last listed, plus what was added since. The counts are never too low,
    /// except for files that another process has added.
    private var fileCount = 0
    private var byteCount = 0

    /// - Parameter limits: the most files and bytes. When they are exceeded, the files that were used longest ago are
    ///   removed until a tenth is free.
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
        // Another key with the same hash is a different entry.
        guard file.key == key else { return nil }
        files.touch(name)
        return Entry(key: file.key, savedAt: file.savedAt, value: file.value)
    }

    /// - Returns: false when the value could not be written. The key's earlier value is removed then, too.
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
            // The stored value is out of date, because the key has a newer one.
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
        // A schema file that exists and cannot be read means that the phone has not been unlocked since it was started;
        // then no file can be read, and the version has not changed. Until it can be read, each file's own version
        // decides.
        isOpen = found != nil || !there.contains { $0.name == Self.schemaFile }
        if isOpen {
            files.tidy()
            if found != version {
                for file in there { files.remove(file.name) }
                // When this fails, the cache is discarded again at the next launch. Each file contains the version,
                // too.
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
