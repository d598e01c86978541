import SightscreenClient
import SightscreenClientTesting
import SightscreenModels
import TestSupport

/// The schedule part of an app over a gateway in memory. The app can be closed and launched; its disk stays.
@MainActor
final class ScheduleHarness {
    /// 2027-01-15 08:00 UTC.
    static let now = 1_800_000_000
    static let today = UTCDay(at: now)

    let clock = SimulatedClock(now: ScheduleHarness.now)
    let gateway: ScheduleGateway
    let files: any FileStore
    let api: SightscreenAPI
    private(set) var cache: RealMatchCacheStore
    private(set) var service: RealScheduleService

    init(files: any FileStore = InMemoryFileStore()) throws {
        let gateway = try ScheduleGateway()
        self.gateway = gateway
        self.files = files
        api = SightscreenAPI(
            transport: gateway, session: FakeSession(user: Sample.user, token: "good"), clock: clock, retries: .never)
        cache = RealMatchCacheStore(disk: MatchDiskCacheWrapper(files: files), clock: clock)
        service = RealScheduleService(api: api, cache: cache, clock: clock)
    }

    /// Ends the app's process and everything in memory, and begins another.
    func relaunch(schemaVersion: Int = MatchDiskCacheWrapper.schemaVersion) async {
        await cache.flush()
        cache = RealMatchCacheStore(
            disk: MatchDiskCacheWrapper(files: files, schemaVersion: schemaVersion), clock: clock)
        service = RealScheduleService(api: api, cache: cache, clock: clock)
    }

    /// Returns a match of a day, by default at noon.
    static func match(_ id: Int64, _ status: MatchStatus, on day: UTCDay, at second: Int = 43_200) -> MatchItem {
        var match = Sample.match(id, status)
        match.startsAt = day.startsAt + second
        return match
    }

    /// Waits until a task sleeps, and advances the time.
    func pass(_ duration: Duration, sleepers: Int = 1) async throws {
        let clock = clock
        // Tasks that wait for the disk sleep longer.
        try await eventually("\(sleepers) wait for the clock") {
            clock.sleeperCount(within: max(duration, .milliseconds(250))) >= sleepers
        }
        clock.advance(by: duration)
    }
}
