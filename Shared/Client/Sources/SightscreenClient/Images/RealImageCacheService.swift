public import Observation
public import SightscreenModels

/// Two cache tiers over a `WebTransport`. The disk tier is a folder that the widget can read.
@MainActor
@Observable
public final class RealImageCacheService: ImageCacheService {
    public struct Limits: Hashable, Sendable {
        /// The most bytes in memory: the logos of two hundred teams.
        public var memoryBytes = 16 << 20
        public var diskBytes = 64 << 20
        public var diskFiles = 2_000
        /// The most bytes of one image. A logo has tens of kilobytes.
        public var imageBytes = 2 << 20
        /// The age, in days, from which an image is downloaded again, because teams change their logo under the same
        /// address.
        public var daysMax = 30
        /// The most downloads at the same time for all prefetches. Downloads for views do not count.
        public var prefetches = 4
        /// The most addresses of one prefetch. Further ones are ignored.
        public var prefetchMax = 64
        /// The time, in seconds, for which an address without an image is not requested again.
        public var failureSeconds = 300
        /// The same time after a broken transfer, which may mean a lost network or that the transport stopped at the
        /// limit.
        public var brokenSeconds = 30
        /// The most bytes that wait for a slow disk. Further images are in memory only.
        public var unwrittenBytes = 8 << 20

        public init() {}
    }

    /// The version of the files. Raise it when earlier files can no longer be read.
    nonisolated static let schemaVersion = 2
    private static let failuresMax = 256

    private struct Unwritten {
        var image: ImageData
        var savedAt: Int
    }

    @ObservationIgnored private let web: any WebTransport
    @ObservationIgnored private let clock: any ClientClock
    @ObservationIgnored private let limits: Limits
    @ObservationIgnored private let thumbnail: @Sendable (ImageData) -> ImageData?
    @ObservationIgnored private let logoAddress: @Sendable (MatchItem.Side) -> String?
    @ObservationIgnored private let disk: DiskCacheStore
    @ObservationIgnored private let patience: DiskTimeout
    @ObservationIgnored private var memory: MemoryImages
    @ObservationIgnored private var loads: [String: Task<Result<ImageData, ImageError>, Never>] = [:]
    /// The images that are not on disk yet.
    @ObservationIgnored private var unwritten: [String: Unwritten] = [:]
    @ObservationIgnored private var unwrittenBytes = 0
    @ObservationIgnored private var writer: Task<Void, Never>?
    /// Counts the removals of everything. An image that was on its way before a removal is not kept after it.
    @ObservationIgnored private var epoch = 0
    @ObservationIgnored private var prefetching = 0
    @ObservationIgnored private var waitingPrefetches: [CheckedContinuation<Void, Never>] = []
    /// The failed addresses, with the error and the time until which they are not requested again.
    @ObservationIgnored private var failures: [String: (error: ImageError, until: Int)] = [:]

    /// - Parameters:
    ///   - files: a folder in the app group's container, so that the widget can read it, too.
    ///   - logoAddress: returns the address of a team's logo; by default the one that the gateway names.
    ///   - thumbnail: makes a downloaded image small enough for a card, which keeps it in place of the image
    ///     (`ImageData.thumbnail` on iOS); nil when it cannot be decoded.
    public init(
        web: any WebTransport, files: any FileStore, clock: any ClientClock, limits: Limits = Limits(),
        logoAddress: @escaping @Sendable (MatchItem.Side) -> String? = { $0.logo },
        thumbnail: @escaping @Sendable (ImageData) -> ImageData? = { $0 }
    ) {
        self.web = web
        self.clock = clock
        self.limits = limits
        self.thumbnail = thumbnail
        self.logoAddress = logoAddress
        disk = DiskCacheStore(
            files: files, schemaVersion: Self.schemaVersion,
            limits: .init(files: limits.diskFiles, bytes: limits.diskBytes))
        patience = DiskTimeout(clock: clock)
        memory = MemoryImages(bytesMax: limits.memoryBytes)
    }

    public func cachedImage(_ url: String) -> ImageData? { memory.image(url) }

    public func image(_ url: String) async throws(ImageError) -> ImageData {
        if let image = memory.image(url) ?? unwritten[url]?.image { return image }
        guard ImageAddress.isGood(url) else { throw .badAddress }
        if let failure = failures[url] {
            if clock.now < failure.until { throw failure.error }
            failures[url] = nil
        }
        let load = loads[url] ?? begin(url)
        return try await load.value.get()
    }

    public func prefetch(_ urls: [String]) async {
        var seen: Set<String> = []
        let wanted = urls.filter { seen.insert($0).inserted && memory.image($0) == nil }.prefix(limits.prefetchMax)
        await withTaskGroup(of: Void.self) { group in
            for (index, url) in wanted.enumerated() {
                if index >= limits.prefetches { await group.next() }
                if Task.isCancelled { break }
                group.addTask { await self.prefetchOne(url) }
            }
        }
    }

    public func prefetch(_ matches: [MatchItem]) async {
        let coming = matches.filter { $0.status != .completed }
            .sorted { ($0.startsAt ?? .max, $0.id) < ($1.startsAt ?? .max, $1.id) }
        await prefetch(coming.flatMap { [$0.home, $0.away] })
    }

    public func prefetch(_ sides: [MatchItem.Side]) async { await prefetch(sides.compactMap(logoAddress)) }

    public func logo(of side: MatchItem.Side) -> String? { logoAddress(side) }

    public func memoryPressure() { memory.removeAll() }

    /// Returns when all downloaded images are on disk.
    public func flush() async {
        while let writer { await writer.value }
    }

    public func removeAll() async {
        epoch += 1
        memory.removeAll()
        failures = [:]
        loads = [:]
        unwritten = [:]
        unwrittenBytes = 0
        await flush()
        await disk.removeAll()
    }

    /// The bytes of the images in memory.
    public var memoryBytes: Int { memory.bytes }

    // MARK: -

    /// Loads an image in a task of its own. The caller's view may disappear, and the image is still for other callers
    /// and the cache.
    private func begin(_ url: String) -> Task<Result<ImageData, ImageError>, Never> {
        let begun = epoch
        let task = Task {
            let (result, isNew) = await load(url)
            guard epoch == begun else { return result }
            loads[url] = nil
            switch result {
            case .success(let image):
                memory.insert(image, for: url)
                // The caller does not wait for the write.
                if isNew { write(image, url) }
            case .failure(let error): note(error, url)
            }
            return result
        }
        loads[url] = task
        return task
    }

    private func load(_ url: String) async -> (Result<ImageData, ImageError>, isNew: Bool) {
        let stored = await stored(url)
        let image = stored.flatMap { ImageData($0.value) }
        if let stored, let image {
            let age = clock.now - stored.savedAt
            if age >= 0, age < limits.daysMax * 86_400 { return (.success(image), isNew: false) }
        }
        do { return (.success(try await download(url)), isNew: true) } catch {
            // An old image is better than none.
            return (image.map { .success($0) } ?? .failure(error), isNew: false)
        }
    }

    private func stored(_ url: String) async -> DiskCacheStore.Entry? {
        let disk = disk
        return await patience.ask { await disk.entry(url) }
    }

    private func write(_ image: ImageData, _ url: String) {
        guard unwrittenBytes + image.bytes.count <= limits.unwrittenBytes, unwritten[url] == nil else { return }
        unwritten[url] = Unwritten(image: image, savedAt: clock.now)
        unwrittenBytes += image.bytes.count
        guard writer == nil else { return }
        writer = Task {
            while let (url, next) = unwritten.first {
                let begun = epoch
                await disk.store(next.image.bytes, for: url, savedAt: next.savedAt)
                guard epoch == begun else { continue }
                unwritten[url] = nil
                unwrittenBytes -= next.image.bytes.count
            }
            writer = nil
        }
    }

    /// Downloads one image of a prefetch. All prefetches together have few downloads under way.
    private func prefetchOne(_ url: String) async {
        if prefetching < max(limits.prefetches, 1) {
            prefetching += 1
        } else {
            // A finished prefetch passes its place to the next one.
            await withCheckedContinuation { waitingPrefetches.append($0) }
        }
        if !Task.isCancelled { _ = try? await image(url) }
        if waitingPrefetches.isEmpty { prefetching -= 1 } else { waitingPrefetches.removeFirst().resume() }
    }

    private func download(_ url: String) async throws(ImageError) -> ImageData {
        let answer: APIResponse
        do {
            answer = try await web.send(
                WebRequest(url: url, headers: ["accept": "image/*"], bodyBytesMax: limits.imageBytes))
        } catch { throw .transport(error) }
        guard answer.status == 200 else { throw .refused(status: answer.status) }
        guard answer.body.count <= limits.imageBytes else { throw .tooLarge }
        let type = answer.headers["content-type"]?.lowercased()
        guard type.map({ $0.hasPrefix("image/") || $0.hasPrefix("application/octet-stream") }) ?? true,
            let image = ImageData(answer.body), let small = thumbnail(image)
        else { throw .notAnImage }
        return small
    }

    private func note(_ error: ImageError, _ url: String) {
        let pause: Int
        switch error {
        case .transport(.broken): pause = limits.brokenSeconds
        case _ where error.passes: return
        default: pause = limits.failureSeconds
        }
        if failures.count >= Self.failuresMax { failures = failures.filter { clock.now < $0.value.until } }
        if failures.count >= Self.failuresMax { failures = [:] }
        failures[url] = (error, clock.now + pause)
    }
}
