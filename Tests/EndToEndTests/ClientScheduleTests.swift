import FoundationEssentials
import HTTPClient
import OperatorTool
import SightscreenClient
import SightscreenClientTesting
import SightscreenModels
import TestKit
import Testing

/// The client library's schedule, live list and administration against the real gateway.
@MainActor
@Suite(.serialized)
struct ClientScheduleTests {
    /// What an app has of the library.
    struct App {
        let cache: RealMatchCacheStore
        let schedule: RealScheduleService
        let live: LiveMatchesDataSource
        let admin: RealAdminService
        let network: CountingTransport

        @MainActor
        init(
            _ network: CountingTransport, bearer: String, folder: String,
            schemaVersion: Int = MatchDiskCacheWrapper.schemaVersion
        ) {
            let clock = SystemClientClock()
            let api = SightscreenAPI(
                transport: network, session: FakeSession(user: UserID("olga"), token: bearer), clock: clock)
            let disk = MatchDiskCacheWrapper(
                files: DirectoryFileStore(path: folder), schemaVersion: schemaVersion)
            cache = RealMatchCacheStore(disk: disk, clock: clock)
            schedule = RealScheduleService(api: api, cache: cache, clock: clock)
            live = LiveMatchesDataSource(api: api, cache: cache, clock: clock)
            admin = RealAdminService.testing(api, keptIn: InMemoryKeyValueStore())
            self.network = network
        }
    }

    @Test func aScheduleIsPlayedPolledAndKept() async throws {
        try await withTemporaryDirectory { folder in
            try await RunningSuite.with(speed: 40) { suite in
                let bearer = try DevelopmentIdentity(folder: suite.endpoints.secrets).token(
                    user: "olga", isAdmin: true, issuer: suite.endpoints.issuer, clientID: DevelopmentSecrets.clientID)
                let network = CountingTransport(base: suite.endpoints.gateway)
                let path = folder.appending("matches")
                let app = App(network, bearer: bearer, folder: path)

                // AdminService plays a tape, and the schedule has its match.
                let match = try await playTape(app)
                let (day, item) = try await scheduled(match, app)
                #expect(item.home.name.isEmpty == false)

                // The live list is polled as the gateway says.
                let poller = DataPoller(app.live)
                poller.appear()
                try await eventually("the match is in the live list", within: .seconds(90)) {
                    app.live.data?.contains { $0.id == match && $0.displayState != nil } ?? false
                }
                #expect([2_000, 5_000, 15_000, 30_000].contains(app.live.pollIntervalMs))
                let answers = network.count
                try await eventually("it is asked for again", within: .seconds(40)) { network.count > answers }
                poller.disappear()
                #expect(poller.lastError == nil)

                // A day without matches does not change: the second question is answered without a body.
                _ = try await app.schedule.refresh(day + 200)
                _ = try await app.schedule.refresh(day + 200)
                #expect(network.statuses.suffix(2) == [200, 304])

                _ = try await app.schedule.refresh(day)
                try await app.admin.control(match, .stop)
                await app.cache.flush()
                try await launches(bearer, path, day, match)
            }
        }
    }

    private func playTape(_ app: App) async throws -> MatchID {
        #expect(try await app.admin.tapes().contains { $0.tapeId == "1304076" })
        let replay = try await app.admin.play(ReplayOrder(tapeId: "1304076", speed: 40))
        #expect(try await app.admin.refreshReplays().map(\.matchId) == [replay.matchId])
        #expect(try await app.admin.control(replay.matchId, .speed(50)).speed == 50)
        return replay.matchId
    }

    /// Which day a match is on; play may begin around midnight.
    private func scheduled(_ match: MatchID, _ app: App) async throws -> (UTCDay, MatchItem) {
        let today = UTCDay(at: SystemClientClock().now)
        var found: (UTCDay, MatchItem)?
        try await eventually("the schedule has the match", within: .seconds(60)) {
            for day in [today, today + 1, today - 1] {
                if let item = try await app.schedule.refresh(day).match(match) { found = (day, item) }
            }
            return found != nil
        }
        return try #require(found)
    }

    /// Cold starts of the app without a network, over what is on its disk.
    private func launches(_ bearer: String, _ path: String, _ day: UTCDay, _ match: MatchID) async throws {
        let nowhere = CountingTransport(base: "http://127.0.0.1:9")
        let offline = App(nowhere, bearer: bearer, folder: path)
        await offline.cache.loadFromDisk()
        #expect(offline.schedule.cached(day)?.match(match) != nil, "the first frame has the match")
        #expect(nowhere.count == 0)

        let source = ScheduleDataSource(service: offline.schedule, clock: SystemClientClock(), day: day)
        #expect(try await source.load().match(match) != nil)
        await #expect(throws: APIError.self) { try await source.refresh() }
        #expect(source.data?.match(match) != nil, "what is known stays")

        // A damaged file is a miss.
        let files = DirectoryFileStore(path: path)
        let name = "day-\(day)"
        let good = try #require(files.read(name))
        try files.write(Array(good.dropLast()), to: name)
        let damaged = App(nowhere, bearer: bearer, folder: path)
        await damaged.cache.loadFromDisk()
        #expect(damaged.schedule.cached(day) == nil)

        // Another schema discards everything, and what an older app would find, too.
        try files.write(good, to: name)
        let newer = App(nowhere, bearer: bearer, folder: path, schemaVersion: MatchDiskCacheWrapper.schemaVersion + 1)
        await newer.cache.loadFromDisk()
        #expect(newer.schedule.cached(day) == nil)
        #expect(files.list().map(\.name) == ["schema"])
    }
}
