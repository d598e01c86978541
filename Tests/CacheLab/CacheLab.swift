import ArgumentParser
import FoundationEssentials
import SightscreenClient
import SightscreenClientTesting
import SightscreenModels

/// `cache-lab`: what `deploy/bench client-cache` measures with. How long the app waits for a day's schedule when it is in
/// memory, on disk, and at the gateway only, each beside a reference: the least that could do it, measured in turns with it, so
/// that a machine that does other things slows down both. Never installed.
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
    /// The product's own words are microsecond, about 5 ms and more than 500 ms (over a phone's network): of another machine than
    /// this one, so they are told and not judged.
    static let memoryProductMs = 0.01
    static let diskProductMs = 5.0
    /// What is judged: the layer's time to its reference's.
    static let memoryRatioMax = 10.0
    static let diskRatioMax = 2.0

    @MainActor
    func run() async throws {
        let token = String(
            decoding: FileManager.default.contents(atPath: tokenFile) ?? Data(), as: UTF8.self
        ).filter { !$0.isWhitespace }
        let clock = SystemClientClock()
        let transport = CurlTransport(base: gateway)
        let api = SightscreenAPI(
            transport: transport, session: FakeSession(user: UserID("bench"), token: token),
            clock: clock, retries: .never)
        let files = DirectoryFileStore(path: folder)
        let today = UTCDay(at: clock.now)

        guard case .new(let answer, let tag) = try await api.matches(on: today), !answer.matches.isEmpty else {
            throw ValidationError("the gateway has no matches today")
        }
        // The same day seven times: what a week's strip of dates has.
        let window = ScheduleWindow.around(today)
        let days = (window.lowerBound.number...window.upperBound.number).map { UTCDay(number: $0) }
        let cache = RealMatchCacheStore(disk: MatchDiskCacheWrapper(files: files), clock: clock)
        for day in days { cache.keep(CachedDay(day: day, matches: answer.matches, fetchedAt: clock.now, tag: tag)) }
        await cache.flush()
        // The tests have the whole of Foundation in their process, an executable has not: sizes come in another type.
        guard let bytes = files.list().map(\.bytes).max(), bytes > answer.matches.count * 500 else {
            throw ValidationError("what is on disk has no size: \(files.list())")
        }

        let memory = lookUp(days, in: cache)
        let disk = try await readDisk(days, answer.matches.count, files, clock)
        let hydration = try await hydrate(days, files, clock)
        let (http, unchanged) = try await ask(api, today, tag, transport, token)
        let met = memory.ratio <= Self.memoryRatioMax && disk.ratio <= Self.diskRatioMax
        let isAsProduct =
            memory.ours.percentile(50) < Self.memoryProductMs && disk.ours.percentile(50) < Self.diskProductMs
        print(
            """
            {"bench":"client-cache","matches":\(answer.matches.count),"bytes":\(bytes),"rounds":\(rounds),\
            "memory":\(memory.json),"disk":\(disk.json),"hydrationDays":\(days.count),"hydration":\(hydration.json),\
            "http":\(http.json),"httpUnchanged":\(unchanged.json),\
            "diskToHTTP":\(Times.ratio(disk.ours, http.ours)),"memoryToDisk":\(Times.ratio(memory.ours, disk.ours)),\
            "isAsProduct":\(isAsProduct),"met":\(met)}
            """)
        if !met { throw ExitCode(1) }
    }

    /// Beside a dictionary.
    @MainActor
    private func lookUp(_ days: [UTCDay], in cache: RealMatchCacheStore) -> Compared {
        var times = Compared()
        var found = 0
        let reference = Dictionary(
            uniqueKeysWithValues: days.compactMap { day in cache.schedule(on: day).map { (day, $0) } })
        for _ in 0..<rounds {
            times.ours.add(
                ContinuousClock().measure {
                    for number in 0..<Self.lookups {
                        found += cache.schedule(on: days[number % days.count])?.matches.count ?? 0
                    }
                }, per: Self.lookups)
            times.reference.add(
                ContinuousClock().measure {
                    for number in 0..<Self.lookups { found += reference[days[number % days.count]]?.matches.count ?? 0 }
                }, per: Self.lookups)
        }
        // What nobody looks at may be left out by a compiler.
        precondition(found > 0)
        return times
    }

    /// Each time as after a launch: nothing of the day is in memory. The system has the files in memory, as it would. Beside a
    /// file that has the day and nothing else, read and decoded off the main actor.
    @MainActor
    private func readDisk(
        _ days: [UTCDay], _ count: Int, _ files: DirectoryFileStore, _ clock: SystemClientClock
    ) async throws -> Compared {
        var times = Compared()
        let plain = "\(folder)/plain"
        guard let entry = await MatchDiskCacheWrapper(files: files).day(days[0]) else {
            throw ValidationError("\(days[0]) is not on disk")
        }
        try JSONEncoder().encode(entry).write(to: URL(filePath: plain))
        for round in 0..<rounds {
            let day = days[round % days.count]
            let cache = RealMatchCacheStore(disk: MatchDiskCacheWrapper(files: files), clock: clock)
            let begun = ContinuousClock.now
            let entry = await cache.storedSchedule(on: day)
            times.ours.add(.now - begun)
            guard entry?.matches.count == count else { throw ValidationError("\(day) is not on disk") }
            let begunPlain = ContinuousClock.now
            let read = try await Self.read(plain)
            times.reference.add(.now - begunPlain)
            guard read == count else { throw ValidationError("the reference has \(read) matches") }
        }
        return times
    }

    @concurrent
    private static func read(_ path: String) async throws -> Int {
        guard let data = FileManager.default.contents(atPath: path) else { return 0 }
        return try JSONDecoder().decode(CachedDay.self, from: data).matches.count
    }

    @MainActor
    private func hydrate(
        _ days: [UTCDay], _ files: DirectoryFileStore, _ clock: SystemClientClock
    ) async throws -> Times {
        var all = Times()
        for _ in 0..<max(1, rounds / 10) {
            let cache = RealMatchCacheStore(disk: MatchDiskCacheWrapper(files: files), clock: clock)
            let begun = ContinuousClock.now
            await cache.loadFromDisk()
            all.add(.now - begun)
            guard days.allSatisfy({ cache.schedule(on: $0) != nil }) else { throw ValidationError("days are missing") }
        }
        return all
    }

    /// Beside the same question without the client: its answer is not looked at.
    @MainActor
    private func ask(
        _ api: SightscreenAPI, _ day: UTCDay, _ tag: String?, _ bare: CurlTransport, _ token: String
    ) async throws -> (whole: Compared, unchanged: Times) {
        var (whole, unchanged) = (Compared(), Times())
        let question = APIRequest(
            method: "GET", path: "/matches?date=\(day)&limit=200", headers: ["authorization": "Bearer \(token)"])
        for _ in 0..<rounds {
            var begun = ContinuousClock.now
            guard case .new = try await api.matches(on: day) else { throw ValidationError("304 to no tag") }
            whole.ours.add(.now - begun)
            begun = .now
            guard try await bare.send(question).status == 200 else { throw ValidationError("the bare question failed") }
            whole.reference.add(.now - begun)
            begun = .now
            guard case .unchanged = try await api.matches(on: day, ifNoneMatch: tag) else {
                throw ValidationError("the schedule has changed")
            }
            unchanged.add(.now - begun)
        }
        return (whole, unchanged)
    }
}
