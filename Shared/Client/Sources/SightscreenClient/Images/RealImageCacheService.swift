public import Observation
public import SightscreenModels

/// Two tiers over a `WebTransport`. The disk tier is a folder that the widget can see.
@MainActor
@Observable
public final class RealImageCacheService: ImageCacheService {
    public struct Limits: Hashable, Sendable {
        /// The logos of two hundred teams.
        public var memoryBytes = 16 << 20
        public var diskBytes = 64 << 20
        public var diskFiles = 2_000
        /// A logo has tens of kilobytes.
        public var imageBytes = 2 << 20
        /// As they are asked for again: teams change their logo under the same address.
        public var daysMax = 30
        /// Downloads at a time of all prefetches; what views ask for is not counted.
        public var prefetches = 4
        /// Addresses of one prefetch; more are not looked at.
        public var prefetchMax = 64
        /// For so long an address that has no image is not asked for again.
        public var failureSeconds = 300
        /// After a transfer that broke: for want of a network, or because the transport stopped at the limit.
        public var brokenSeconds = 30
        /// What a disk that is slow may keep waiting; more is in memory only.
        public var unwrittenBytes = 8 << 20

        public init() {}
    }

    /// Raised when files of before cannot be read any more.
    nonisolated static let schemaVersion = 1
    private static let failuresMax = 256

    private struct Unwritten {
        var image: ImageData
        var savedAt: Int
    }

    @ObservationIgnored private let web: any WebTransport
    @ObservationIgnored private let clock: any ClientClock
    @ObservationIgnored private let limits: Limits
    @ObservationIgnored private let logoAddress: @Sendable (MatchItem.Side) -> String?
    @ObservationIgnored private let disk: DiskCacheStore
    @ObservationIgnored private let patience: DiskPatience
    @ObservationIgnored private var memory: MemoryImages
    @ObservationIgnored private var loads: [String: Task<Result<ImageData, ImageError>, Never>] = [:]
    /// What is not on disk yet.
    @ObservationIgnored private var unwritten: [String: Unwritten] = [:]
    @ObservationIgnored private var unwrittenBytes = 0
    @ObservationIgnored private var writer: Task<Void, Never>?
    /// Counts how often everything was removed: what was on its way before is not kept after it.
    @ObservationIgnored private var epoch = 0
    @ObservationIgnored private var prefetching = 0
    @ObservationIgnored private var waitingPrefetches: [CheckedContinuation<Void, Never>] = []
    /// Until when an address is not asked for again, and why.
    @ObservationIgnored private var failures: [String: (error: ImageError, until: Int)] = [:]

    /// - Parameters:
    ///   - files: in the app group's container, so that the widget finds them, too.
    ///   - logoAddress: where a team's logo is; the gateway names teams, not their logos.
    public init(
        web: any WebTransport, files: any FileStore, clock: any ClientClock, limits: Limits = Limits(),
        logoAddress: @escaping @Sendable (MatchItem.Side) -> String? = { _ in nil }
    ) {
        self.web = web
        self.clock = clock
        self.limits = limits
        self.logoAddress = logoAddress
        disk = DiskCacheStore(
            files: files, schemaVersion: Self.schemaVersion,
            limits: .init(files: limits.diskFiles, bytes: limits.diskBytes))
        patience = DiskPatience(clock: clock)
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
        await prefetch(coming.flatMap { [$0.home, $0.away] }.compactMap(logoAddress))
    }

    public func logo(of side: MatchItem.Side) -> String? { logoAddress(side) }

    public func memoryPressure() { memory.removeAll() }

    /// Returns when what was downloaded is on disk.
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

    /// What the memory tier holds.
    public var memoryBytes: Int { memory.bytes }

    // MARK: -

    /// A task of its own: whoever asks may scroll away, the image is for the others and for the cache.
    private func begin(_ url: String) -> Task<Result<ImageData, ImageError>, Never> {
        let begun = epoch
        let task = Task {
            let (result, isNew) = await load(url)
            guard epoch == begun else { return result }
            loads[url] = nil
            switch result {
            case .success(let image):
                memory.insert(image, for: url)
                // Nobody waits for that.
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

    /// However many prefetches there are, few downloads are under way.
    private func prefetchOne(_ url: String) async {
        if prefetching < max(limits.prefetches, 1) {
            prefetching += 1
        } else {
            // Whoever is done hands its place on.
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
            let image = ImageData(answer.body)
        else { throw .notAnImage }
        return image
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
