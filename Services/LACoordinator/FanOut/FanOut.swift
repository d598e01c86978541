import APNsProtocol
package import HTTP2
package import Messages
import Reactor
import ServiceKit
package import SightscreenModels
import Store

/// The fan-out: a few loops, each with its own thread and connections, that share the shards among them.
package final class FanOut: Sendable {
    package struct Settings: Sendable {
        var origins: [APNsEnvironment: HTTP2Origin]
        var tls: TLSContext
        var lines: APNsLines.Limits
        var rules: LoopMatch.Rules
        var threads: Int

        /// - Parameters:
        ///   - connections: to each host, over all threads; nil: as many as what is measured asks for.
        ///   - freshness: seconds in which an alert is news.
        ///   - keepAlive: seconds after which a break has another version.
        package init(
            origins: [APNsEnvironment: HTTP2Origin], tls: TLSContext, bundleID: String, threads: Int,
            connections: Int? = nil, streams: Int? = nil, freshness: Int = 30, keepAlive: Int = 1_200
        ) {
            self.origins = origins
            self.tls = tls
            self.threads = threads
            rules = LoopMatch.Rules(bundleID: bundleID, freshness: freshness, keepAlive: keepAlive)
            lines = APNsLines.Limits()
            lines.connections = connections.map { max(1, $0 / threads) }
            if let streams { lines.http.streamsMax = streams }
        }
    }

    private let settings: Settings
    private let loops: [FanOutLoop]

    /// - Parameter report: called on the loops' threads; must not wait.
    package init(
        _ settings: Settings, brakes: Brakes, report: @escaping @Sendable (FanOutReport) -> Void
    ) {
        self.settings = settings
        let malformed = RareReports()
        loops = (0..<settings.threads).map { index in
            FanOutLoop(
                reactor: Reactor(name: "fanout-\(index)"), rules: settings.rules, brakes: brakes, malformed: malformed,
                report: report)
        }
    }

    /// To be called once, before anything else.
    package func start() async {
        for loop in loops {
            await loop.onThread { [settings] in
                loop.open(
                    settings.origins.mapValues {
                        APNsLines(origin: $0, tls: settings.tls, limits: settings.lines, loop: loop)
                    })
            }
        }
    }

    private func loop(_ shard: Int) -> FanOutLoop { loops[shard % loops.count] }

    /// Tells the alerts that are claimed, and begins nothing else any more.
    /// - Parameter time: how long that may take: a phone that APNs wants to be left alone for longer is told by nobody.
    func finish(within time: Duration) async {
        for loop in loops { await loop.onThread { loop.finish(within: time) } }
    }

    /// Pushes are under way, or claimed alerts are still to be told.
    func isBusy() async -> Bool {
        for loop in loops where await loop.onThread({ loop.isBusy }) { return true }
        return false
    }

    /// Ends everything; the object is of no use afterwards.
    package func close() async {
        for loop in loops {
            await loop.onThread { loop.close() }
            // A name that is still being looked up is not waited for: its answer comes to nothing.
            loop.reactor.stop()
        }
    }

    // MARK: - What the database says

    /// Seconds since 1970 by the database's clock.
    package func setClock(_ now: Double) async {
        let clock = DatabaseClock(seconds: now)
        for loop in loops { await loop.onThread { loop.clock = clock } }
    }

    package func setToken(_ token: String, serial: Int) async {
        for loop in loops {
            await loop.onThread { loop.authorization = ProviderAuthorization(token: token, serial: serial) }
        }
    }

    /// - Parameter isComplete: false while its phones are being read, until `complete`: no alert is claimed for it meanwhile.
    package func hold(_ shard: Int, _ trust: ShardTrust, isComplete: Bool = true) async {
        let loop = loop(shard)
        await loop.onThread { loop.hold(shard, trust, isComplete: isComplete) }
    }

    /// All phones of these shards were taken in.
    package func complete(_ shards: [Int]) async {
        for loop in loops { await loop.onThread { loop.complete(shards) } }
    }

    /// It is to be another's: only what nobody else can do is still done.
    func close(_ shard: Int) async {
        let loop = loop(shard)
        await loop.onThread { loop.close(shard) }
    }

    func reopen(_ shard: Int) async {
        let loop = loop(shard)
        await loop.onThread { loop.reopen(shard) }
    }

    /// Of one that is closed: something is still to be done.
    func isBusy(_ shard: Int) async -> Bool {
        let loop = loop(shard)
        return await loop.onThread { loop.isBusy(shard) }
    }

    package func lose(_ shard: Int) async {
        let loop = loop(shard)
        await loop.onThread { loop.lose(shard) }
    }

    /// Takes in activities, or another token of theirs, or another alert level.
    package func take(_ entries: [RosterEntry]) async {
        for (index, entries) in Dictionary(grouping: entries, by: { $0.shard % loops.count }) {
            let loop = loops[index]
            await loop.onThread { loop.take(entries) }
        }
    }

    /// Nothing is sent to these activities any more.
    /// - Returns: those that a push is under way to; `FanOutReport.left` comes when it no longer is.
    @discardableResult
    func remove(_ places: [RosterPlace]) async -> Set<RosterKey> {
        var underWay: Set<RosterKey> = []
        for (index, places) in Dictionary(grouping: places, by: { $0.shard % loops.count }) {
            let loop = loops[index]
            underWay.formUnion(await loop.onThread { loop.remove(places) })
        }
        return underWay
    }

    /// Versions that were committed, or the newest one with a stamp of now.
    /// - Returns: how far those were whose places they take.
    @discardableResult
    package func publish(
        _ updates: [MatchUpdate], repeatsQuietly: Bool = false
    ) async -> [MatchID: VersionProgress] {
        var before: [MatchID: VersionProgress] = [:]
        for loop in loops {
            for (match, progress) in await loop.onThread({ loop.publish(updates, repeatsQuietly: repeatsQuietly) }) {
                before[match, default: VersionProgress()].add(progress)
            }
        }
        return before
    }

    package func claimed(
        _ match: MatchID, _ version: MatchVersion, _ shards: [Int: Int64], gained: Set<Int>
    ) async {
        for loop in Set(shards.keys.map { $0 % loops.count }).map({ loops[$0] }) {
            await loop.onThread { loop.claimed(match, version, shards, gained: gained) }
        }
    }

    package func fresh(_ match: MatchID, _ stamp: FreshStamp?) async {
        for loop in loops { await loop.onThread { loop.fresh(match, stamp) } }
    }

    /// Sends a push that is no update, over the connections of the loop that has this shard.
    /// - Returns: when it is answered, or will not be.
    func push(_ push: OneShot, shard: Int, to environment: APNsEnvironment) async -> PushResult {
        let loop = loop(shard)
        let (results, result) = AsyncStream<PushResult>.makeStream()
        await loop.onThread {
            guard let lines = loop.lines[environment] else { return result.finish() }
            lines.send(push) {
                result.yield($0)
                result.finish()
            }
        }
        for await result in results { return result }
        return .refused
    }

    // MARK: - What an operator asks

    /// How far the newest version of a match is, over all loops.
    package func progress(_ match: MatchID) async -> VersionProgress {
        var sum = VersionProgress()
        for loop in loops { sum.add(await loop.onThread { loop.matches[match]?.progressNow ?? VersionProgress() }) }
        return sum
    }

    /// How far the phones of a match in a shard are, where that may have changed since it was last asked.
    package func settled() async -> [(match: MatchID, shard: Int, progress: BucketProgress)] {
        var all: [(match: MatchID, shard: Int, progress: BucketProgress)] = []
        for loop in loops { all += await loop.onThread { loop.settled() } }
        return all
    }

    /// What the loops did since that was last asked.
    package func takeCounts() async -> FanOutCounts {
        var sum = FanOutCounts()
        for loop in loops {
            sum.add(
                await loop.onThread {
                    var counts = FanOutCounts(held: loop.held, failures: loop.failures)
                    for (environment, lines) in loop.lines {
                        let (pushes, repetitions) = lines.takeCounts()
                        counts.pushes.merge(pushes) { $0 + $1 }
                        counts.repetitions += repetitions
                        counts.stopped[environment] = lines.stopCause == nil ? 0 : 1
                    }
                    loop.held = 0
                    loop.failures = [:]
                    return counts
                })
        }
        return sum
    }

    func measure() async -> FanOutMeasure {
        var sum = FanOutMeasure()
        for loop in loops { sum.add(await loop.onThread { loop.measure() }) }
        return sum
    }

    /// Pushes under way.
    func inFlight() async -> Int {
        var sum = 0
        for loop in loops { sum += await loop.onThread { loop.inFlight } }
        return sum
    }

    /// Phones in all.
    package func phones() async -> Int {
        var sum = 0
        for loop in loops { sum += await loop.onThread { loop.count } }
        return sum
    }

    /// By shard; without those in which a token is dead that the table may not know of yet.
    func rosterSums(_ shards: [Int]) async -> [Int: RosterSum] {
        var sums: [Int: RosterSum] = [:]
        for (index, shards) in Dictionary(grouping: shards, by: { $0 % loops.count }) {
            let loop = loops[index]
            sums.merge(await loop.onThread { loop.rosterSums(Set(shards)) }) { $1 }
        }
        return sums
    }

    func forgetFinished() async { for loop in loops { await loop.onThread { loop.forgetFinished() } } }

    /// The same of several.
    func progress(_ matches: [MatchID]) async -> [VersionProgress] {
        var sums = matches.map { _ in VersionProgress() }
        for loop in loops {
            let all = await loop.onThread { matches.map { loop.matches[$0]?.progressNow ?? VersionProgress() } }
            for (index, progress) in all.enumerated() { sums[index].add(progress) }
        }
        return sums
    }

    package func connections() async -> Int {
        var sum = 0
        for loop in loops { sum += await loop.onThread { loop.lines.values.reduce(0) { $0 + $1.connectionCount } } }
        return sum
    }
}
