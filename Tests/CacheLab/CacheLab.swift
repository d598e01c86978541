import ArgumentParser
import FoundationEssentials
import Messages
import Sightscreen
import SightscreenClient

/// `cache-lab`: what `deploy/bench client-cache` measures with. How long the app waits for a day's schedule when it is in
/// memory, on disk, and at the gateway only. Never installed.
@main
struct CacheLab: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cache-lab", abstract: "Measures the layers of the client library's match cache.")

    @Option(help: "The gateway's address.") var gateway: String
    @Option(help: "A file with a user's bearer token.") var tokenFile: String
    @Option(help: "A folder for the disk layer.") var folder: String
    @Option(help: "How often each is measured.") var rounds = 300

    /// Lookups that are timed together: one is shorter than a clock can tell.
    static let lookups = 1_000
    /// The product's own words are microsecond, about 5 ms and more than 500 ms (over a phone's network).
    static let memoryMaxMs = 0.01
    static let diskMaxMs = 5.0

    @MainActor
    func run() async throws {
        let token = String(
            decoding: FileManager.default.contents(atPath: tokenFile) ?? Data(), as: UTF8.self
        ).filter { !$0.isWhitespace }
        let clock = SystemClientClock()
        let api = SightscreenAPI(
            transport: CurlTransport(base: gateway), session: FakeSession(user: UserID("bench"), token: token),
            clock: clock, retries: .never)
        let files = DirectoryFileStore(path: folder)
        let today = MatchDay(at: clock.now)

        guard case .new(let answer, let tag) = try await api.matches(on: today), !answer.matches.isEmpty else {
            throw ValidationError("the gateway has no matches today")
        }
        // The same day seven times: what a week's strip of dates has.
        let window = ScheduleWindow.around(today)
        let days = (window.lowerBound.number...window.upperBound.number).map { MatchDay(number: $0) }
        let cache = RealMatchCacheStore(disk: MatchDiskCacheWrapper(files: files), clock: clock)
        for day in days { cache.keep(CachedDay(day: day, matches: answer.matches, fetchedAt: clock.now, tag: tag)) }
        await cache.flush()
        // The tests have the whole of Foundation in their process, an executable has not: sizes come in another type.
        guard let bytes = files.list().map(\.bytes).max(), bytes > answer.matches.count * 500 else {
            throw ValidationError("what is on disk has no size: \(files.list())")
        }

        let memory = lookUp(days, in: cache)
        let (disk, hydration) = try await readDisk(days, answer.matches.count, files, clock)
        let (http, unchanged) = try await ask(api, today, tag)
        let met = memory.percentile(50) < Self.memoryMaxMs && disk.percentile(50) < Self.diskMaxMs
        print(
            """
            {"bench":"client-cache","matches":\(answer.matches.count),"bytes":\(bytes),"rounds":\(rounds),\
            "memory":\(memory.json),"disk":\(disk.json),"hydrationDays":\(days.count),"hydration":\(hydration.json),\
            "http":\(http.json),"httpUnchanged":\(unchanged.json),"met":\(met)}
            """)
        if !met { throw ExitCode(1) }
    }

    @MainActor
    private func lookUp(_ days: [MatchDay], in cache: RealMatchCacheStore) -> Times {
        var times = Times()
        var found = 0
        for _ in 0..<rounds {
            times.add(
                ContinuousClock().measure {
                    for number in 0..<Self.lookups {
                        found += cache.schedule(on: days[number % days.count])?.matches.count ?? 0
                    }
                }, per: Self.lookups)
        }
        // What nobody looks at may be left out by a compiler.
        precondition(found > 0)
        return times
    }

    /// Each time as after a launch: nothing of the day is in memory. The system has the files in memory, as it would.
    @MainActor
    private func readDisk(
        _ days: [MatchDay], _ count: Int, _ files: DirectoryFileStore, _ clock: SystemClientClock
    ) async throws -> (one: Times, all: Times) {
        var (one, all) = (Times(), Times())
        for round in 0..<rounds {
            let day = days[round % days.count]
            let cache = RealMatchCacheStore(disk: MatchDiskCacheWrapper(files: files), clock: clock)
            let begun = ContinuousClock.now
            let entry = await cache.storedSchedule(on: day)
            one.add(.now - begun)
            guard entry?.matches.count == count else { throw ValidationError("\(day) is not on disk") }
        }
        for _ in 0..<max(1, rounds / 10) {
            let cache = RealMatchCacheStore(disk: MatchDiskCacheWrapper(files: files), clock: clock)
            let begun = ContinuousClock.now
            await cache.loadFromDisk()
            all.add(.now - begun)
            guard days.allSatisfy({ cache.schedule(on: $0) != nil }) else { throw ValidationError("days are missing") }
        }
        return (one, all)
    }

    @MainActor
    private func ask(
        _ api: SightscreenAPI, _ day: MatchDay, _ tag: String?
    ) async throws -> (whole: Times, unchanged: Times) {
        var (whole, unchanged) = (Times(), Times())
        for _ in 0..<rounds {
            var begun = ContinuousClock.now
            guard case .new = try await api.matches(on: day) else { throw ValidationError("304 to no tag") }
            whole.add(.now - begun)
            begun = .now
            guard case .unchanged = try await api.matches(on: day, ifNoneMatch: tag) else {
                throw ValidationError("the schedule has changed")
            }
            unchanged.add(.now - begun)
        }
        return (whole, unchanged)
    }
}
