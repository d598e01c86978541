@testable import SightscreenClientTesting
import SightscreenModels
import Synchronization
import TestSupport
import Testing

@testable import SightscreenClient

/// Images in memory and on disk, prefetching, and failed downloads.
@MainActor
@Suite struct ImageCacheServiceTests {
    let clock = SimulatedClock(now: Sample.now)
    let web = ImageServer()
    let files = InMemoryFileStore()
    let url = "https://images.example/6.png"

    private func service(_ change: (inout RealImageCacheService.Limits) -> Void = { _ in }) -> RealImageCacheService {
        var limits = RealImageCacheService.Limits()
        change(&limits)
        return RealImageCacheService(web: web, files: files, clock: clock, limits: limits) { side in
            "https://images.example/\(side.id).png"
        }
    }

    // MARK: - Memory cache

    @Test func memoryAnswersAtOnce() async throws {
        let images = service()
        #expect(images.cachedImage(url) == nil)
        let image = try await images.image(url)
        #expect(image.kind == .png)
        #expect(images.cachedImage(url) == image)
        #expect(try await images.image(url) == image)
        #expect(await web.urls == [url])
    }

    @Test func memoryIsEvictedUnderPressure() async throws {
        let images = service()
        let image = try await images.image(url)
        #expect(images.memoryBytes == image.bytes.count)
        images.memoryPressure()
        #expect(images.memoryBytes == 0 && images.cachedImage(url) == nil)
        #expect(try await images.image(url) == image, "the disk has it")
        #expect(await web.urls.count == 1)
    }

    @Test func memoryHasALimitAndLosesWhatWasUsedLongestAgo() async throws {
        await web.setSize(1_000)
        let images = service { $0.memoryBytes = 3_500 }
        for name in ["a", "b", "c"] { _ = try await images.image("https://images.example/\(name)") }
        _ = images.cachedImage("https://images.example/a")
        _ = try await images.image("https://images.example/d")
        #expect(images.memoryBytes == 3_000)
        #expect(images.cachedImage("https://images.example/a") != nil)
        #expect(images.cachedImage("https://images.example/b") == nil)
    }

    // MARK: - Disk cache

    @Test func theDiskSurvivesTheAppAndIsSharedWithTheWidget() async throws {
        try await withTemporaryDirectory { folder in
            let path = folder.appending("images")
            let first = service(over: DirectoryFileStore(path: path))
            let image = try await first.image(url)
            await first.flush()
            await web.setOffline(true)
            // Another launch of the app has only the path.
            #expect(try await service(over: DirectoryFileStore(path: path)).image(url) == image)
            #expect(await web.urls.count == 1)
            // The widget, too, has only the path.
            #expect(widget(over: path).image(url) == image)
        }
    }

    /// The widget shows the cached team logos.
    @Test func theWidgetShowsTheLogosThatTheAppHas() async throws {
        try await withTemporaryDirectory { folder in
            let path = folder.appending("images")
            let match = Sample.attributes(Sample.match().id, start: "s")
            #expect(widget(over: path).logo(of: "MI", in: match) == nil, "there is no folder yet")
            let app = service(over: DirectoryFileStore(path: path))
            await app.prefetch([Sample.match(8, .upcoming)])
            await app.flush()
            let (home, away) = (
                widget(over: path).logo(of: "MI", in: match), widget(over: path).logo(of: "CSK", in: match)
            )
            #expect(try await home == app.image("https://images.example/6.png"))
            #expect(try await away == app.image("https://images.example/2.png"))
            #expect(home != nil && away != nil)
            // The abbreviation is that of neither team: there is none yet, or it is another team's.
            #expect(widget(over: path).logo(of: "", in: match) == nil)
            #expect(widget(over: path).logo(of: "RR", in: match) == nil)
            // The widget shows nothing for a damaged file, and leaves the file to the app.
            let files = DirectoryFileStore(path: path)
            let name = CacheFile.name(of: url)
            var bytes = try #require(files.read(name))
            bytes[bytes.count - 1] ^= 1
            try files.write(bytes, to: name)
            #expect(widget(over: path).logo(of: "MI", in: match) == nil)
            #expect(files.read(name) == bytes)
        }
    }

    /// The addresses are those that the gateway names, in the schedule and in a start.
    @Test func withoutAddressesOfTheAppTheGatewaysAreUsed() async throws {
        let logo = "https://cdn.sportmonks.com/images/cricket/teams/6/6.png"
        let app = RealImageCacheService(web: web, files: files, clock: clock)
        var match = Sample.match(8, .upcoming)
        match.home.logo = logo
        await app.prefetch([match])
        await app.flush()
        #expect(await web.urls == [logo])
        var attributes = Sample.attributes(match.id, start: "s")
        let widget = WidgetImages(files: files)
        #expect(widget.logo(of: "MI", in: attributes) == nil)
        attributes.homeLogo = logo
        #expect(widget.logo(of: "MI", in: attributes) == app.cachedImage(logo))
        #expect(widget.logo(of: "CSK", in: attributes) == nil)
    }

    private func service(over files: any FileStore) -> RealImageCacheService {
        RealImageCacheService(web: web, files: files, clock: clock) { "https://images.example/\($0.id).png" }
    }

    private func widget(over path: String) -> WidgetImages {
        WidgetImages(files: DirectoryFileStore(path: path)) { "https://images.example/\($0.id).png" }
    }

    /// An oversized image may keep an activity from starting.
    @Test func aDownloadIsKeptAsItsThumbnail() async throws {
        let images = RealImageCacheService(
            web: web, files: files, clock: clock, thumbnail: { _ in FakeImageCacheService.dot })
        #expect(try await images.image(url) == FakeImageCacheService.dot)
        await images.flush()
        #expect(WidgetImages(files: files) { _ in nil }.image(url) == FakeImageCacheService.dot)
        let blind = RealImageCacheService(
            web: web, files: InMemoryFileStore(), clock: clock, thumbnail: { _ in nil })
        await #expect(throws: ImageError.notAnImage) { try await blind.image(url) }
    }

    @Test func theDiskIsBounded() async throws {
        await web.setSize(1_000)
        let images = service {
            $0.diskBytes = 20_000
            $0.diskFiles = 10
        }
        for number in 1...50 { _ = try await images.image("https://images.example/\(number)") }
        await images.flush()
        #expect((2...11).contains(files.list().count))
    }

    @Test func aDamagedFileIsDownloadedAgain() async throws {
        let first = service()
        let image = try await first.image(url)
        await first.flush()
        let name = CacheFile.name(of: url)
        var bytes = try #require(files.read(name))
        bytes[bytes.count - 1] ^= 1
        try files.write(bytes, to: name)
        #expect(try await service().image(url) == image)
        #expect(await web.urls.count == 2)
    }

    @Test func anOldImageIsAskedForAgainAndStaysWhereThatFails() async throws {
        let first = service()
        _ = try await first.image(url)
        await first.flush()
        await web.setSize(500)
        clock.advance(seconds: 29 * 86_400)
        #expect(try await service().image(url).bytes.count != 500)
        clock.advance(seconds: 86_400)
        await web.setOffline(true)
        #expect(try await service().image(url).bytes.count != 500, "an old logo is better than none")
        await web.setOffline(false)
        #expect(try await service().image(url).bytes.count == 500)
    }

    // MARK: - Async prefetch

    @Test func theLogosOfUpcomingMatchesAreThereBeforeTheyAreNeeded() async throws {
        let images = service()
        await images.prefetch(SampleMatches.all(now: Sample.now))
        // The logos belong to the match in play and the upcoming one. The teams of the completed match are not needed.
        #expect(Set(await web.urls) == Set(["6", "2", "7", "5"].map { "https://images.example/\($0).png" }))
        for side in [SampleMatches.upcoming(now: 0).home, SampleMatches.upcoming(now: 0).away] {
            #expect(images.cachedImage(try #require(images.logo(of: side))) != nil)
        }
        await images.prefetch(SampleMatches.all(now: Sample.now))
        #expect(await web.urls.count == 4, "nothing is fetched twice")
    }

    @Test func aPrefetchTakesFewAtATimeAndSkipsWhatFails() async throws {
        await web.hold(true)
        let images = service { $0.prefetches = 3 }
        let urls = (1...10).map { "https://images.example/\($0)" } + ["http://images.example/x", "nonsense"]
        let prefetch = Task { await images.prefetch(urls) }
        try await eventually("three are under way") { await web.heldCount == 3 }
        for _ in 1...100 { await Task.yield() }
        #expect(await web.heldCount == 3)
        await web.hold(false)
        await prefetch.value
        #expect(await web.urls.count == 10)
        #expect(await web.mostAtOnce == 3)
    }

    /// Swiping through dates starts one prefetch after the other.
    @Test func prefetchesTogetherTakeFewAtATime() async throws {
        await web.hold(true)
        let images = service { $0.prefetches = 3 }
        let prefetches = (0..<5).map { number in
            Task { await images.prefetch((1...4).map { "https://images.example/\(number)-\($0)" }) }
        }
        try await eventually("three are under way") { await web.heldCount == 3 }
        // A view's download does not wait behind them.
        let seen = Task { try await images.image(url) }
        try await eventually("and the view's") { await web.heldCount == 4 }
        prefetches[4].cancel()
        await web.hold(false)
        for prefetch in prefetches { await prefetch.value }
        #expect(try await seen.value.kind == .png)
        #expect(await web.mostAtOnce == 4)
        #expect(await web.urls.count >= 17)
        await images.prefetch(["https://images.example/after"])
        #expect(images.cachedImage("https://images.example/after") != nil, "their places are free again")
    }

    @Test func aPrefetchIsBounded() async throws {
        let images = service { $0.prefetchMax = 5 }
        await images.prefetch((1...100).map { "https://images.example/\($0)" })
        #expect(await web.urls.count == 5)
    }

    // MARK: - Downloads

    @Test func callsForOneAddressShareOneDownload() async throws {
        await web.hold(true)
        let images = service()
        let tasks = (1...20).map { _ in Task { try await images.image(url) } }
        try await eventually("one is under way") { await web.heldCount == 1 }
        tasks[0].cancel()
        await web.hold(false)
        for task in tasks.dropFirst() { #expect(try await task.value.kind == .png) }
        #expect(await web.urls.count == 1)
    }

    @Test(arguments: [
        "http://images.example/6.png", "", "images.example/6.png", "ftp://images.example/6.png", "file:///etc/passwd",
        "https://", "https:///6.png", "https://user@images.example/6.png", "https://images.example/a b",
        "https://images.example/\n", "https://images.example\\@other.example/", "https://:443/",
        "data:image/png;base64,AA", "https://127.0.0.1/6.png", "https://2130706433/6.png", "https://0x7f.1/6.png",
        "https://[::1]/6.png", "https://localhost/6.png", "https://router/6.png", "https://printer.local/6.png",
        "https://Printer.LOCAL./6.png", "https://images.example:8443/6.png", "https://images..example/6.png",
        "https://images.example/" + String(repeating: "a", count: 2_048),
    ])
    func onlyHTTPSIsAskedFor(_ address: String) async throws {
        await #expect(throws: ImageError.badAddress) { try await service().image(address) }
        #expect(await web.urls.isEmpty)
        #expect(files.list().isEmpty)
    }

    @Test func whatIsTooLargeIsNotTaken() async throws {
        await web.setSize(1_001)
        await #expect(throws: ImageError.tooLarge) { try await service { $0.imageBytes = 1_000 }.image(url) }
        #expect(await web.lastLimit == 1_000, "the transport stops there")
        #expect(files.list().map(\.name) == ["schema"])
    }

    @Test(arguments: [
        ("text/html", Array("<html>".utf8)), ("image/png", Array("<html>".utf8)), ("text/html", ImageServer.png(100)),
        ("image/svg+xml", Array("<svg/>".utf8)), ("image/png", []),
    ])
    func whatIsNoImageIsNotTaken(_ type: String, _ body: [UInt8]) async throws {
        await web.answer(APIResponse(status: 200, headers: ["content-type": type], body: body))
        await #expect(throws: ImageError.notAnImage) { try await service().image(url) }
    }

    @Test(arguments: [
        (ImageServer.png(50), ImageData.Kind.png), (ImageServer.jpeg(1, 1), .jpeg), (ImageServer.gif(1, 1), .gif),
        (ImageServer.webp(1, 1), .webp),
    ])
    func anImageIsKnownByItsFirstBytes(_ bytes: [UInt8], _ kind: ImageData.Kind) {
        #expect(ImageData(bytes)?.kind == kind)
        #expect(ImageData(Array(bytes.dropFirst())) == nil)
    }

    /// A few hundred bytes can be an image of gigabytes, so its size is read before it is decoded.
    @Test(arguments: [
        (2_048, 2_048, true), (1, 16_383, true), (2_048, 2_049, false), (16_383, 16_383, false), (0, 1, false),
    ])
    func anImageOfTooManyPixelsIsNotDecoded(_ width: Int, _ height: Int, isTaken: Bool) async throws {
        for bytes in [
            ImageServer.png(50, width, height), ImageServer.jpeg(width, height), ImageServer.gif(width, height),
            ImageServer.webp(width, height),
        ] { #expect((ImageData(bytes) != nil) == isTaken) }
        let decoded = Mutex(0)
        let images = RealImageCacheService(
            web: web, files: files, clock: clock,
            thumbnail: { image in
                decoded.withLock { $0 += 1 }
                return image
            })
        let png = ImageServer.png(50, width, height)
        await web.answer(APIResponse(status: 200, headers: ["content-type": "image/png"], body: png))
        _ = try? await images.image(url)
        #expect(decoded.withLock { $0 } == (isTaken ? 1 : 0))
    }

    /// A kind's other forms, and sizes that would overflow when multiplied.
    @Test func theSizeIsReadFromEveryFormOfAnImage() {
        let webp = Array("RIFF".utf8) + [0, 0, 0, 0] + Array("WEBP".utf8)
        #expect(ImageData(webp + Array("VP8X".utf8) + [UInt8](repeating: 0, count: 14)) != nil)
        #expect(ImageData(webp + Array("VP8X".utf8) + [UInt8](repeating: 0xff, count: 14)) == nil)
        #expect(ImageData(webp + Array("VP8L".utf8) + [0, 0, 0, 0, 0x2f, 0, 0, 0, 0]) != nil)
        #expect(ImageData(webp + Array("VP8L".utf8) + [0, 0, 0, 0, 0x2f, 0xff, 0xff, 0xff, 0xff]) == nil)
        #expect(ImageData(ImageServer.png(50, 0xffff_ffff, 0xffff_ffff)) == nil)
        // Segments without a frame, and one whose length leads nowhere.
        #expect(ImageData([0xff, 0xd8, 0xff, 0xe0, 0, 2, 0xff, 0xd9]) == nil)
        #expect(ImageData([0xff, 0xd8, 0xff, 0xe0, 0, 0]) == nil)
        for length in 0..<ImageServer.jpeg(1, 1).count {
            #expect(ImageData(Array(ImageServer.jpeg(1, 1).prefix(length))) == nil)
        }
    }

    @Test func anAddressWithoutAnImageIsNotAskedForAllTheTime() async throws {
        await web.answer(APIResponse(status: 404))
        let images = service()
        for _ in 1...5 {
            await #expect(throws: ImageError.refused(status: 404)) { try await images.image(url) }
        }
        #expect(await web.urls.count == 1)
        clock.advance(seconds: 300)
        await web.answer(nil)
        #expect(try await images.image(url).kind == .png)
    }

    @Test func aNetworkThatIsAwayIsAskedAgainAtOnce() async throws {
        await web.setOffline(true)
        let images = service()
        await #expect(throws: ImageError.transport(.offline)) { try await images.image(url) }
        await web.setOffline(false)
        #expect(try await images.image(url).kind == .png)
    }

    @Test func aTransferThatBreaksIsNotRepeatedForAWhile() async throws {
        await web.fail(.broken("too long"))
        let images = service()
        for _ in 1...3 {
            await #expect(throws: ImageError.transport(.broken("too long"))) { try await images.image(url) }
        }
        #expect(await web.urls.count == 1)
        clock.advance(seconds: 30)
        await web.fail(nil)
        #expect(try await images.image(url).kind == .png)
    }

    // MARK: - The fake

    @Test func theFakeServesCannedImages() async throws {
        let fake: any ImageCacheService = FakeImageCacheService()
        #expect(try await fake.image(url).kind == .png)
        let none = FakeImageCacheService(standIn: nil)
        #expect(throws: ImageError.refused(status: 404)) { try none.image(url) }
        none.prefetch(SampleMatches.all(now: 0))
        #expect(none.prefetched.count == 6)
    }
}

/// A server of images in memory.
actor ImageServer: WebTransport {
    private(set) var urls: [String] = []
    private(set) var lastLimit: Int?
    private(set) var mostAtOnce = 0
    private var underWay = 0
    private var size = 100
    private var failure: TransportError?
    private var isHolding = false
    private var canned: APIResponse?
    private var waiting: [CheckedContinuation<Void, Never>] = []

    var heldCount: Int { waiting.count }
    func setSize(_ size: Int) { self.size = size }
    func setOffline(_ isOffline: Bool) { fail(isOffline ? .offline : nil) }
    func fail(_ error: TransportError?) { failure = error }
    func answer(_ answer: APIResponse?) { canned = answer }

    func hold(_ isHolding: Bool) {
        self.isHolding = isHolding
        guard !isHolding else { return }
        for continuation in waiting { continuation.resume() }
        waiting = []
    }

    static func png(_ size: Int, _ width: Int = 1, _ height: Int = 1) -> [UInt8] {
        let mark: [UInt8] = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13]
        let head = mark + Array("IHDR".utf8) + big(width, 4) + big(height, 4)
        return head + [UInt8](repeating: 0, count: max(0, size - head.count))
    }

    /// A segment comes before the frame.
    static func jpeg(_ width: Int, _ height: Int) -> [UInt8] {
        [0xff, 0xd8, 0xff, 0xe0, 0, 4, 0xff, 0xc0, 0xff, 0xff, 0xc2, 0, 8, 8] + big(height, 2) + big(width, 2)
    }

    static func gif(_ width: Int, _ height: Int) -> [UInt8] {
        Array("GIF89a".utf8) + big(width, 2).reversed() + big(height, 2).reversed()
    }

    static func webp(_ width: Int, _ height: Int) -> [UInt8] {
        Array("RIFF".utf8) + [0, 0, 0, 0] + Array("WEBPVP8 ".utf8) + [0, 0, 0, 0, 0, 0, 0, 0x9d, 0x01, 0x2a]
            + big(width, 2).reversed() + big(height, 2).reversed()
    }

    private static func big(_ number: Int, _ count: Int) -> [UInt8] {
        (0..<count).reversed().map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
    }

    func send(_ request: WebRequest) async throws(TransportError) -> APIResponse {
        urls.append(request.url)
        lastLimit = request.bodyBytesMax
        underWay += 1
        mostAtOnce = max(mostAtOnce, underWay)
        defer { underWay -= 1 }
        if let failure { throw failure }
        if isHolding { await withCheckedContinuation { waiting.append($0) } }
        if let canned { return canned }
        return APIResponse(status: 200, headers: ["content-type": "image/png"], body: Self.png(size))
    }
}
