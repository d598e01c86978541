import APNsProtocol
package import HTTP2
import Reactor
package import Messages
package import SightscreenModels

/// The fan-out: a few loops that share the shards, each with its own thread and connections.
package struct FanOutLoops: Sendable {
    package struct Settings: Sendable {
        var origins: [APNsEnvironment: HTTP2Origin]
        var tls: TLSContext
        var pool: APNsConnectionPool.Limits
        var rules: LoopMatch.Rules
        var threads: Int

        /// - Parameters:
        ///   - connections: connections to each host, over all threads; nil for as many as the measured round trip
        ///     calls for.
        ///   - freshness: seconds for which an alert is fresh.
        ///   - keepAlive: seconds after which `event-bus` commits another version in a break.
        ///   - newFor: seconds after which a new phone counts among those that are behind.
        package init(
            origins: [APNsEnvironment: HTTP2Origin], tls: TLSContext, bundleID: String, threads: Int,
            connections: Int? = nil, streams: Int? = nil, freshness: Int = 30, keepAlive: Int = 1_200,
            newFor: Int = 30
        ) {
            self.origins = origins
            self.tls = tls
            self.threads = threads
            rules = LoopMatch.Rules(
                bundleID: bundleID, freshness: freshness, keepAlive: keepAlive, newFor: newFor)
            pool = APNsConnectionPool.Limits()
            pool.connections = connections.map { max(1, $0 / threads) }
            if let streams { pool.http.streamsMax = streams }
        }
    }

    private let settings: Settings
    private let loops: [FanOutLoop]

    /// - Parameter report: called with the loop's number on that loop's thread; it must not wait.
    package init(
        _ settings: Settings, matchHolds: MatchHolds, report: @escaping @Sendable (_ loop: Int, FanOutReport) -> Void
    ) {
        self.settings = settings
        let refusals = RareReports()
        loops = (0..<settings.threads).map { index in
            FanOutLoop(
                reactor: Reactor(name: "fanout-\(index)"), rules: settings.rules, matchHolds: matchHolds,
                refusals: refusals
            ) { report(index, $0) }
        }
    }

    /// Starts the loops; must be called once, before anything else.
    package func open() async {
        for loop in loops {
            await loop.onThread { [settings] in
                var pools: [APNsEnvironment: APNsConnectionPool] = [:]
                for (environment, origin) in settings.origins {
                    pools[environment] = APNsConnectionPool(
                        environment, origin: origin, tls: settings.tls, limits: settings.pool, loop: loop)
                }
                loop.open(pools)
            }
        }
    }

    /// Closes all connections and ends the threads. Nothing may be called afterwards.
    package func close() async {
        for loop in loops {
            await loop.onThread { loop.close() }
            // A name lookup in progress is not awaited; its answer has no effect.
            loop.reactor.stop()
        }
    }

    /// Calls `body` on the thread of the loop that has a shard.
    @discardableResult
    package func on<Result: Sendable>(
        _ shard: Int, _ body: @Sendable (FanOutLoop) -> Result
    ) async -> Result {
        let loop = loops[shard % loops.count]
        return await loop.onThread { body(loop) }
    }

    /// Calls `body` on the thread of each loop, one loop after the other: there are few, and each call takes
    /// microseconds.
    @discardableResult
    package func onEach<Result: Sendable>(_ body: @Sendable (FanOutLoop) -> Result) async -> [Result] {
        var results: [Result] = []
        for loop in loops { results.append(await loop.onThread { body(loop) }) }
        return results
    }

    /// Calls `body` with its items on the thread of each loop that has some of them, on all loops at once.
    @discardableResult
    package func onEach<Item: Sendable, Result: Sendable>(
        of items: [Item], in shard: (Item) -> Int, _ body: @escaping @Sendable (FanOutLoop, [Item]) -> Result
    ) async -> [Result] {
        await withTaskGroup(of: Result.self) { group in
            for (index, items) in Dictionary(grouping: items, by: { shard($0) % loops.count }) {
                let loop = loops[index]
                group.addTask { await loop.onThread { body(loop, items) } }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
    }

    /// Adds activities, or updates their tokens and alert levels.
    package func add(_ entries: [RosterEntry]) async { await onEach(of: entries, in: \.shard) { $0.add($1) } }

    /// Removes activities: nothing is sent to them any more.
    /// - Returns: those with a push in flight; `FanOutReport.drained` follows when it is answered.
    @discardableResult
    package func remove(_ places: [RosterPlace]) async -> Set<RosterPlace> {
        Set(await onEach(of: places, in: \.shard) { $0.remove($1) }.joined())
    }

    /// Publishes committed versions, or the newest one with a fresh stamp.
    /// - Returns: the progress of the versions that these replace.
    @discardableResult
    package func publish(
        _ updates: [MatchUpdate], repeatsQuietly: Bool = false
    ) async -> [MatchID: VersionProgress] {
        await onEach { $0.publish(updates, repeatsQuietly: repeatsQuietly) }.reduce(into: [:]) { sums, part in
            for (match, progress) in part { sums[match, default: VersionProgress()].add(progress) }
        }
    }

    /// Returns how far the newest versions of some matches are, over all loops and in the order of `matches`.
    package func progress(_ matches: [MatchID]) async -> [VersionProgress] {
        await onEach { loop in matches.map { loop.progress($0) } }
            .reduce(into: matches.map { _ in VersionProgress() }) { sums, part in
                for (index, progress) in part.enumerated() { sums[index].add(progress) }
            }
    }

    /// Returns what the phones and channels of each match lack, over all loops.
    package func backlogs() async -> [MatchID: MatchBacklog] {
        await onEach { $0.backlogs() }.reduce(into: [:]) { sums, part in
            for (match, backlog) in part { sums[match, default: MatchBacklog()].add(backlog) }
        }
    }

    /// Sends a push other than an update, over the connections of the loop that has this shard, and waits for its
    /// result.
    /// - Returns: the answer, or the reason why there is none.
    package func push(_ push: OneShot, shard: Int, to environment: APNsEnvironment) async -> PushResult {
        let (results, result) = AsyncStream<PushResult>.makeStream()
        await on(shard) { loop in
            loop.send(push, to: environment) {
                result.yield($0)
                result.finish()
            }
        }
        for await result in results { return result }
        return .refused
    }
}
