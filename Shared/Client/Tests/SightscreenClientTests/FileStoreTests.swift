@testable import SightscreenClientTesting
import FoundationEssentials
import SightscreenModels
import Synchronization
import TestSupport
import Testing

@testable import SightscreenClient

/// The promises that both stores keep.
@Suite struct FileStoreTests {
    private func both(_ check: (any FileStore) throws -> Void) async throws {
        try check(InMemoryFileStore())
        try await withTemporaryDirectory { folder in
            try check(DirectoryFileStore(path: folder.appending("caches/matches")))
        }
    }

    @Test func whatIsWrittenIsRead() async throws {
        try await both { files in
            #expect(files.list() == [])
            #expect(files.read("day-1") == nil)
            try files.write([1, 2, 3], to: "day-1")
            try files.write([], to: "empty")
            #expect(files.read("day-1") == [1, 2, 3])
            #expect(files.read("empty") == [])
            try files.write([4], to: "day-1")
            #expect(files.read("day-1") == [4])
            #expect(Set(files.list()) == [StoredFile(name: "day-1", bytes: 1), StoredFile(name: "empty", bytes: 0)])
            files.remove("day-1")
            files.remove("day-1")
            #expect(files.list().map(\.name) == ["empty"])
        }
    }

    @Test(arguments: ["", ".", "..", ".hidden", "a/b", "../a", "A", "ä", "a b", String(repeating: "a", count: 65)])
    func otherNamesAreRefused(_ name: String) async throws {
        try await both { files in
            #expect(throws: FileStoreError.self) { try files.write([1], to: name) }
            #expect(files.read(name) == nil)
            files.remove(name)
            files.touch(name)
            #expect(files.list() == [])
        }
    }

    @Test func theListBeginsWithWhatWasUsedLongestAgo() async throws {
        try await withTemporaryDirectory { folder in
            let files = DirectoryFileStore(path: folder.path)
            for (age, name) in ["c", "a", "b"].enumerated() {
                try files.write([1], to: name)
                try FileManager.default.setAttributes(
                    [.modificationDate: Date(timeIntervalSince1970: Double(1_000_000 + age))],
                    ofItemAtPath: folder.appending(name))
            }
            #expect(files.list().map(\.name) == ["c", "a", "b"])
            files.touch("c")
            #expect(files.list().map(\.name) == ["a", "b", "c"])
        }
        let files = InMemoryFileStore()
        for name in ["c", "a", "b"] { try files.write([1], to: name) }
        files.touch("c")
        #expect(files.list().map(\.name) == ["a", "b", "c"])
    }

    @Test func foldersAndHiddenFilesAreNotListed() async throws {
        try await withTemporaryDirectory { folder in
            let files = DirectoryFileStore(path: folder.path)
            try files.write([1], to: "a")
            try Data([1]).write(to: URL(filePath: folder.appending(".dat.nosync")))
            try FileManager.default.createDirectory(
                atPath: folder.appending("folder"), withIntermediateDirectories: false)
            #expect(files.list().map(\.name) == ["a"])
        }
    }

    /// The folder is as a process left it that was killed while it wrote.
    @Test func anInterruptedWriteLeavesWhatWasThereAndIsRemovedLater() async throws {
        try await withTemporaryDirectory { folder in
            let files = DirectoryFileStore(path: folder.path)
            try files.write([1, 2, 3, 4], to: "day-1")
            for (name, age) in [(".dat.nosync1a2b.old", 3_700.0), (".dat.nosync1a2b.new", 10)] {
                try Data([9, 9]).write(to: URL(filePath: folder.appending(name)))
                try FileManager.default.setAttributes(
                    [.modificationDate: Date(timeIntervalSinceNow: -age)], ofItemAtPath: folder.appending(name))
            }
            #expect(files.read("day-1") == [1, 2, 3, 4])
            // The first use after the launch removes old remains. A young one may belong to another process.
            _ = await DiskCacheStore(files: files, schemaVersion: 1, limits: .init(files: 9, bytes: 999)).entry("a")
            let left = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasPrefix(".") }
            #expect(left == [".dat.nosync1a2b.new"])
        }
    }

    @Test func aFileIsNeverSeenHalfWritten() async throws {
        try await withTemporaryDirectory { folder in
            let files = DirectoryFileStore(path: folder.path)
            let small = [UInt8](repeating: 1, count: 10)
            let large = [UInt8](repeating: 2, count: 1 << 20)
            try files.write(small, to: "a")
            // The writer writes until the reader has had its turns.
            let reads = Reads()
            let writer = Task.detached {
                var round = 0
                while round < 100 || reads.count < 100 {
                    round += 1
                    try files.write(round.isMultiple(of: 2) ? small : large, to: "a")
                    await Task.yield()
                }
            }
            let reader = Task.detached {
                var isWhole = true
                while !Task.isCancelled {
                    let seen = files.read("a")
                    isWhole = isWhole && (seen == small || seen == large)
                    reads.add()
                    await Task.yield()
                }
                return isWhole
            }
            try await writer.value
            reader.cancel()
            #expect(await reader.value)
        }
    }

    @Test func aFileThatIsTooLargeIsNoneOfOurs() async throws {
        try await withTemporaryDirectory { folder in
            let files = DirectoryFileStore(path: folder.path)
            try files.write([UInt8](repeating: 0, count: DirectoryFileStore.fileBytesMax + 1), to: "a")
            #expect(files.read("a") == nil)
        }
    }

    @Test func aFolderThatCannotBeWrittenIsAnError() {
        #expect(throws: FileStoreError.self) {
            try DirectoryFileStore(path: "/dev/null/caches").write([1], to: "a")
        }
        #expect(DirectoryFileStore(path: "/dev/null/caches").list() == [])
    }
}

private final class Reads: Sendable {
    private let number = Mutex(0)
    var count: Int { number.withLock { $0 } }
    func add() { number.withLock { $0 += 1 } }
}
