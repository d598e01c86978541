@testable import SightscreenClientTesting
import SightscreenModels
import Synchronization
import Testing

@testable import SightscreenClient

@Suite struct DiskCacheStoreTests {
    static let limits = DiskCacheStore.Limits(files: 10, bytes: 10_000)

    private func store(_ files: any FileStore, schema: Int = 1) -> DiskCacheStore {
        DiskCacheStore(files: files, schemaVersion: schema, limits: Self.limits)
    }

    @Test func whatIsStoredIsThereInTheNextProcess() async {
        let files = InMemoryFileStore()
        #expect(await store(files).store([1, 2, 3], for: "https://images.example/6.png?size=2", savedAt: 77))
        let entry = await store(files).entry("https://images.example/6.png?size=2")
        #expect(entry?.value == [1, 2, 3] && entry?.savedAt == 77)
        #expect(await store(files).entry("https://images.example/7.png") == nil)
    }

    @Test(arguments: [(1, 2), (2, 1)])
    func anotherSchemaDiscardsEverything(_ before: Int, _ after: Int) async {
        let files = InMemoryFileStore()
        let first = store(files, schema: before)
        for number in 1...5 { await first.store([1], for: "day-\(number)", savedAt: 0) }
        #expect(files.list().count == 6)
        let second = store(files, schema: after)
        #expect(await second.entry("day-1") == nil)
        #expect(files.list().map(\.name) == ["schema"])
        #expect(files.read("schema") == Array("\(after)".utf8))
    }

    @Test func aFileOfAnotherSchemaIsAMissThoughTheFolderSaysOtherwise() async throws {
        let files = InMemoryFileStore()
        await store(files, schema: 1).store([1], for: "a", savedAt: 0)
        try files.write(Array("2".utf8), to: "schema")
        #expect(await store(files, schema: 2).entry("a") == nil)
    }

    /// A phone that has not been unlocked since it was started cannot read its files, but can remove them.
    @Test func whatCannotBeReadYetIsNotDiscarded() async {
        let files = LockedFileStore()
        await store(files).store([1], for: "a", savedAt: 0)
        files.setLocked(true)
        let disk = store(files)
        #expect(await disk.entry("a") == nil)
        files.setLocked(false)
        #expect(await disk.entry("a")?.value == [1])
    }

    @Test func everyDamageIsAMiss() async throws {
        let files = InMemoryFileStore()
        await store(files).store(Array("a value of some length".utf8), for: "a", savedAt: 1_800_000_000)
        let good = try #require(files.read("a"))
        for length in 0..<good.count {
            try files.write(Array(good.prefix(length)), to: "a")
            #expect(await store(files).entry("a") == nil, "cut after \(length) bytes")
            #expect(files.read("a") == nil, "it is gone")
        }
        for place in good.indices {
            for bit in 0..<8 {
                var bad = good
                bad[place] ^= 1 << bit
                try files.write(bad, to: "a")
                #expect(await store(files).entry("a") == nil, "bit \(bit) of byte \(place)")
            }
        }
        try files.write(good + [0], to: "a")
        #expect(await store(files).entry("a") == nil)
        try files.write(good, to: "a")
        #expect(await store(files).entry("a") != nil)
    }

    @Test func rubbishIsAMiss() async throws {
        var generator = SystemRandomNumberGenerator()
        let files = InMemoryFileStore()
        await store(files).store([1], for: "b", savedAt: 0)
        for _ in 1...500 {
            let length = Int.random(in: 0...200, using: &generator)
            try files.write((0..<length).map { _ in UInt8.random(in: 0...255, using: &generator) }, to: "a")
            #expect(await store(files).entry("a") == nil)
        }
        #expect(await store(files).entry("b") != nil)
    }

    @Test func oneKeysFileIsNoOthers() async throws {
        let files = InMemoryFileStore()
        await store(files).store([1], for: "a", savedAt: 0)
        try files.write(try #require(files.read("a")), to: "b")
        #expect(await store(files).entry("b") == nil)
        #expect(await store(files).entry("a") != nil)
    }

    @Test func whatWasUsedLongestAgoGoesFirst() async {
        let files = InMemoryFileStore()
        let disk = store(files)
        for number in 1...10 { await disk.store([UInt8](repeating: 0, count: 100), for: "\(number)", savedAt: 0) }
        #expect(await disk.entry("1") != nil)
        await disk.store([1], for: "11", savedAt: 0)
        #expect(await disk.entry("1") != nil, "it was used")
        #expect(await disk.entry("2") == nil)
        #expect(await disk.entry("11") != nil)
        #expect(files.list().count <= Self.limits.files + 1)
    }

    @Test func bytesAreBounded() async {
        let files = InMemoryFileStore()
        let disk = store(files)
        for number in 1...100 {
            await disk.store([UInt8](repeating: 0, count: 2_000), for: "\(number)", savedAt: 0)
            #expect(files.list().reduce(0) { $0 + $1.bytes } <= Self.limits.bytes + 10)
        }
        #expect(await disk.entry("100") != nil)
        #expect(!(await disk.store([UInt8](repeating: 0, count: 2_600), for: "large", savedAt: 0)))
        #expect(await disk.entry("large") == nil)
    }

    @Test func aFullDiskLosesWhatWasToBeReplaced() async {
        let files = InMemoryFileStore()
        let disk = store(files)
        await disk.store([1], for: "a", savedAt: 0)
        files.setFull(true)
        #expect(!(await disk.store([2], for: "a", savedAt: 0)))
        #expect(await disk.entry("a") == nil, "the old value is wrong now")
        files.setFull(false)
        #expect(await disk.store([3], for: "a", savedAt: 0))
    }

    @Test func everythingCanBeRemoved() async {
        let files = InMemoryFileStore()
        let disk = store(files)
        await disk.store([1], for: "a", savedAt: 0)
        await disk.removeAll()
        #expect(files.list() == [])
        #expect(await disk.store([1], for: "a", savedAt: 0))
        #expect(await disk.entry("a") != nil)
    }

    @Test(arguments: [
        ("day-2026-11-22", "day-2026-11-22"), ("schema", nil), ("h-1", nil), ("https://a.example/b.png", nil),
        ("A", nil),
    ])
    func aKeyIsANameWhereItCanBe(_ key: String, _ name: String?) {
        let file = CacheFile.name(of: key)
        #expect(FileName.isGood(file))
        if let name { #expect(file == name) } else { #expect(file.count == 34 && file.hasPrefix("h-")) }
    }

    @Test func theChecksumIsThatOfZip() {
        #expect(CRC32.of(Array("123456789".utf8)[...]) == 0xcbf4_3926)
        #expect(CRC32.of([][...]) == 0)
    }
}

/// Files that exist and cannot be read for a while.
private final class LockedFileStore: FileStore {
    private let files = InMemoryFileStore()
    private let isLocked = Mutex(false)

    func setLocked(_ isLocked: Bool) { self.isLocked.withLock { $0 = isLocked } }
    func read(_ name: String) -> [UInt8]? { isLocked.withLock { $0 } ? nil : files.read(name) }
    func write(_ bytes: [UInt8], to name: String) throws(FileStoreError) { try files.write(bytes, to: name) }
    func touch(_ name: String) { files.touch(name) }
    func remove(_ name: String) { files.remove(name) }
    func list() -> [StoredFile] { files.list() }
}
