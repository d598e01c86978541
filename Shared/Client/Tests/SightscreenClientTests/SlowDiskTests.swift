@testable import SightscreenClientTesting
import Dispatch
import FoundationEssentials
import SightscreenModels
import Synchronization
import TestSupport
import Testing

@testable import SightscreenClient

/// A slow, stalled or full disk delays nothing else. The tests stall only the threads of disk caches, and run one at a
/// time.
@MainActor
@Suite(.serialized) struct SlowDiskTests {
    let today = ScheduleHarness.today
    let url = "https://images.example/6.png"

    private func entry(_ day: UTCDay, fetchedAt: Int = ScheduleHarness.now) -> CachedDay {
        CachedDay(
            day: day, matches: [ScheduleHarness.match(1, .completed, on: day)], fetchedAt: fetchedAt, tag: "\"t\"")
    }

    /// Returns a folder with these days.
    private func written(_ days: UTCDay...) async throws -> InMemoryFileStore {
        let files = InMemoryFileStore()
        let harness = try ScheduleHarness(files: files)
        for day in days { harness.cache.keep(entry(day)) }
        await harness.cache.flush()
        return files
    }

    // MARK: - Threads

    @Test func theMainActorIsFreeWhileTheDiskIsRead() async throws {
        let disk = StuckFileStore(try await written(today))
        let harness = try ScheduleHarness(files: disk)
        let hydration = Task { await harness.cache.loadFromDisk() }
        try await eventually("the disk is read") { disk.waiting == 1 }
        #expect(harness.cache.schedule(on: today) == nil)
        disk.release()
        await hydration.value
        #expect(harness.cache.schedule(on: today) == entry(today))
        #expect(!disk.gaveUp)
    }

    /// There are more disks than processors: on the threads that all tasks share, nothing else would run.
    @Test func disksThatStandStillLeaveTheThreadsOfAllTasksFree() async throws {
        let count = ProcessInfo.processInfo.activeProcessorCount + 2
        let disks = (0..<count).map { _ in StuckFileStore(InMemoryFileStore()) }
        let reads = disks.map { disk in
            let cache = DiskCacheStore(files: disk, schemaVersion: 1, limits: .init(files: 9, bytes: 999))
            return Task { await cache.entry("a") }
        }
        try await eventually("all stand still") { disks.allSatisfy { $0.waiting == 1 } }
        let done = await withTaskGroup(of: Int.self) { group in
            for number in 1...100 { group.addTask { @concurrent in number } }
            var sum = 0
            for await number in group { sum += number }
            return sum
        }
        #expect(done == 5_050)
        #expect(disks.allSatisfy { $0.waiting == 1 && !$0.gaveUp }, "they still do")
        for disk in disks { disk.release() }
        for read in reads { #expect(await read.value == nil) }
    }

    // MARK: - Schedules

    @Test func memoryAnswersWhileTheDiskStandsStill() async throws {
        let disk = StuckFileStore(InMemoryFileStore())
        let harness = try ScheduleHarness(files: disk)
        // The write of the first day is stalled, and the second one waits behind it.
        harness.cache.keep(entry(today - 1))
        harness.cache.keep(entry(today - 2))
        try await eventually("the disk stands still") { disk.waiting == 1 }
        #expect(harness.cache.schedule(on: today - 1) == entry(today - 1))
        // The clock stands still, too, so no call waits for it.
        #expect(try await harness.service.fetchSchedule(for: today - 1) == entry(today - 1))
        #expect(try await harness.service.show(today - 2) == entry(today - 2))
        #expect(await harness.gateway.callCount == 0)
        disk.release()
        await harness.cache.flush()
        #expect(disk.list().count == 3)
    }

    @Test func theGatewayIsAskedWhenTheDiskDoesNotAnswer() async throws {
        let disk = StuckFileStore(try await written(today - 1, today - 2))
        let harness = try ScheduleHarness(files: disk)
        let fetch = Task { try await harness.service.fetchSchedule(for: today - 1) }
        try await eventually("the disk is asked") { disk.waiting == 1 && harness.clock.sleeperCount == 1 }
        #expect(await harness.gateway.callCount == 0)
        harness.clock.advance(by: DiskTimeout.limit)
        #expect(try await fetch.value.matches == [])
        #expect(await harness.gateway.calls.map(\.tag) == [nil])
        // The next calls do not wait for the disk at all, because the clock stands still.
        #expect(try await harness.service.fetchSchedule(for: today - 2).matches == [])
        harness.clock.advance(seconds: DiskTimeout.pause)
        disk.release()
        await harness.cache.flush()
        #expect(try await harness.service.fetchSchedule(for: today - 1).matches == [], "what is newer stays")
        #expect(await harness.gateway.callCount == 2)
    }

    @Test func whoLeavesSaysNothingOfTheDisk() async throws {
        let disk = StuckFileStore(try await written(today - 1))
        let harness = try ScheduleHarness(files: disk)
        let leaves = Task { try await harness.service.fetchSchedule(for: today - 1) }
        try await eventually("the disk is asked") { disk.waiting == 1 && harness.clock.sleeperCount == 1 }
        leaves.cancel()
        await #expect(throws: APIError.transport(.cancelled)) { try await leaves.value }
        let stays = Task { try await harness.service.fetchSchedule(for: today - 1) }
        try await eventually("it waits for the same reading") { harness.clock.sleeperCount == 1 }
        disk.release()
        #expect(try await stays.value == entry(today - 1))
        #expect(await harness.gateway.callCount == 0)
        #expect(disk.reads(of: "day-\(today - 1)") == 1)
    }

    @Test func aLaunchDoesNotWaitForADiskThatStandsStill() async throws {
        let disk = StuckFileStore(try await written(today, today + 1))
        let harness = try ScheduleHarness(files: disk)
        let hydration = Task { await harness.cache.loadFromDisk() }
        try await eventually("the disk is asked") { disk.waiting == 1 && harness.clock.sleeperCount == 1 }
        harness.clock.advance(by: RealMatchCacheStore.hydrationLimit)
        await hydration.value
        #expect(harness.cache.schedule(on: today) == nil)
        disk.release()
        try await eventually("what is late is there when it comes") { harness.cache.schedule(on: today + 1) != nil }
        #expect(harness.cache.schedule(on: today) == entry(today), "today came first")
    }

    @Test func whoAsksForOneDaySharesOneReading() async throws {
        let disk = StuckFileStore(try await written(today + 9))
        let harness = try ScheduleHarness(files: disk)
        let cache = harness.cache
        let day = today + 9
        let tasks = (1...20).map { _ in Task { await cache.storedSchedule(on: day) } }
        try await eventually("the disk is asked") { disk.waiting == 1 }
        tasks[0].cancel()
        disk.release()
        for task in tasks.dropFirst() { #expect(await task.value == entry(day)) }
        #expect(disk.reads(of: "day-\(day)") == 1)
    }

    @Test func whatIsReadWhileEverythingIsRemovedIsNotRemembered() async throws {
        let disk = StuckFileStore(try await written(today))
        let harness = try ScheduleHarness(files: disk)
        let cache = harness.cache
        let day = today
        let read = Task { await cache.storedSchedule(on: day) }
        try await eventually("the disk is asked") { disk.waiting == 1 }
        let removal = Task { await cache.removeAll() }
        for _ in 1...10 { await Task.yield() }
        disk.release()
        #expect(await read.value == nil)
        await removal.value
        #expect(cache.schedule(on: today) == nil)
        #expect(await cache.storedSchedule(on: today) == nil)
    }

    @Test func whatWaitsForTheDiskIsBounded() async throws {
        let disk = StuckFileStore(InMemoryFileStore())
        let harness = try ScheduleHarness(files: disk)
        for number in 0..<100 { harness.cache.keep(entry(today + number, fetchedAt: ScheduleHarness.now + number)) }
        try await eventually("the disk stands still") { disk.waiting == 1 }
        disk.release()
        await harness.cache.flush()
        let newest = (0..<100).filter { disk.read("day-\(today + $0)") != nil }
        #expect(newest.count <= RealMatchCacheStore.unwrittenMax + 1 && newest.suffix(20) == Array(80..<100)[...])
    }

    // MARK: - Images

    private func images(_ web: ImageServer, _ files: any FileStore, _ clock: SimulatedClock) -> RealImageCacheService {
        var limits = RealImageCacheService.Limits()
        limits.unwrittenBytes = 1_000
        return RealImageCacheService(web: web, files: files, clock: clock, limits: limits)
    }

    @Test func anImageWaitsForNoDisk() async throws {
        let (web, clock) = (ImageServer(), SimulatedClock(now: Sample.now))
        await web.setSize(400)
        let disk = StuckFileStore(InMemoryFileStore())
        let images = images(web, disk, clock)
        let first = Task { try await images.image(url) }
        try await eventually("the disk is asked") { disk.waiting == 1 && clock.sleeperCount == 1 }
        #expect(await web.urls.isEmpty)
        clock.advance(by: DiskTimeout.limit)
        #expect(try await first.value.bytes.count == 400)
        // Neither a read nor a write delays them, and the images that wait to be written are bounded.
        for name in ["b", "c", "d"] { _ = try await images.image("https://images.example/\(name)") }
        #expect(await web.urls.count == 4)
        images.memoryPressure()
        _ = try await images.image(url)
        #expect(await web.urls.count == 4, "it waits to be written")
        disk.release()
        await images.flush()
        #expect(disk.list().count == 3)
        #expect(!disk.gaveUp)
    }

    @Test func aFullDiskCostsAnImageNothing() async throws {
        let (web, clock) = (ImageServer(), SimulatedClock(now: Sample.now))
        let disk = InMemoryFileStore()
        disk.setFull(true)
        let images = images(web, disk, clock)
        let image = try await images.image(url)
        await images.flush()
        #expect(images.cachedImage(url) == image)
        #expect(disk.list() == [])
    }
}

/// A disk on which every read and write blocks until it is released. It gives up after a while, so that a failing test
/// ends.
final class StuckFileStore: FileStore {
    private struct State {
        var isReleased = false
        var waiting = 0
        var gaveUp = false
        var reads: [String] = []
    }

    private let files: InMemoryFileStore
    private let state = Mutex(State())
    private let gate = DispatchSemaphore(value: 0)

    init(_ files: InMemoryFileStore) { self.files = files }

    /// The number of blocked threads.
    var waiting: Int { state.withLock { $0.waiting } }
    var gaveUp: Bool { state.withLock { $0.gaveUp } }
    func reads(of name: String) -> Int { state.withLock { state in state.reads.count { $0 == name } } }

    func release() {
        let waiting = state.withLock { state in
            state.isReleased = true
            return state.waiting
        }
        for _ in 0..<waiting { gate.signal() }
    }

    private func stopAnswering() {
        let isFree = state.withLock { state in
            if !state.isReleased { state.waiting += 1 }
            return state.isReleased
        }
        guard !isFree, gate.wait(timeout: .now() + 30) == .timedOut else { return }
        state.withLock { $0.gaveUp = true }
    }

    func read(_ name: String) -> [UInt8]? {
        state.withLock { $0.reads.append(name) }
        stopAnswering()
        return files.read(name)
    }

    func write(_ bytes: [UInt8], to name: String) throws(FileStoreError) {
        stopAnswering()
        try files.write(bytes, to: name)
    }

    func touch(_ name: String) { files.touch(name) }
    func remove(_ name: String) { files.remove(name) }
    func list() -> [StoredFile] { files.list() }
}
