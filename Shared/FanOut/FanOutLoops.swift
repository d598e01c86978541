import APNsProtocol
package import HTTP2
import Reactor
package import Messages
package import SightscreenModels

/// The fan-out: a few loops, each with its own thread and connections, that share the shards among them.
package struct FanOutLoops: Sendable {
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

    /// - Parameter report: called on the thread of the loop with this number, as all loops' are called on theirs; must not wait.
    package init(
        _ settings: Settings, brakes: Brakes, report: @escaping @Sendable (_ loop: Int, FanOutReport) -> Void
    ) {
        self.settings = settings
        let malformed = RareReports()
        loops = (0..<settings.threads).map { index in
            FanOutLoop(
                reactor: Reactor(name: "fanout-\(index)"), rules: settings.rules, brakes: brakes, malformed: malformed
            ) { report(index, $0) }
        }
    }

    /// To be called once, before anything else.
    package func open() async {
        for loop in loops {
            await loop.onThread { [settings] in
                var lines: [APNsEnvironment: APNsLines] = [:]
                for (environment, origin) in settings.origins {
                    lines[environment] = APNsLines(
                        environment, origin: origin, tls: settings.tls, limits: settings.lines, loop: loop)
                }
                loop.open(lines)
            }
        }
    }

    /// Ends everything; the object is of no use afterwards.
    package func close() async {
        for loop in loops {
            await loop.onThread { loop.close() }
            // A name that is still being looked up is not waited for: its answer comes to nothing.
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

    /// Calls `body` on the thread of each loop, of one after the other: there are few, and what they do takes microseconds.
    @discardableResult
    package func onEach<Result: Sendable>(_ body: @Sendable (FanOutLoop) -> Result) async -> [Result] {
        var results: [Result] = []
        for loop in loops { results.append(await loop.onThread { body(loop) }) }
        return results
    }

    /// Calls `body` on the thread of each loop that has some of the items, with those, at once.
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

    /// Takes in activities, or another token of theirs, or another alert level.
    package func take(_ entries: [RosterEntry]) async { await onEach(of: entries, in: \.shard) { $0.take($1) } }

    /// Nothing is sent to these activities any more.
    /// - Returns: those that a push is under way to; `FanOutReport.left` comes when it no longer is.
    @discardableResult
    package func remove(_ places: [RosterPlace]) async -> Set<RosterPlace> {
        Set(await onEach(of: places, in: \.shard) { $0.remove($1) }.joined())
    }

    /// Versions that were committed, or the newest one with a stamp of now.
    /// - Returns: how far those were whose places they take.
    @discardableResult
    package func publish(
        _ updates: [MatchUpdate], repeatsQuietly: Bool = false
    ) async -> [MatchID: VersionProgress] {
        await onEach { $0.publish(updates, repeatsQuietly: repeatsQuietly) }.reduce(into: [:]) { sums, part in
            for (match, progress) in part { sums[match, default: VersionProgress()].add(progress) }
        }
    }

    /// How far the newest versions of some matches are, over all loops.
    package func progress(_ matches: [MatchID]) async -> [VersionProgress] {
        await onEach { loop in matches.map { loop.progress($0) } }
            .reduce(into: matches.map { _ in VersionProgress() }) { sums, part in
                for (index, progress) in part.enumerated() { sums[index].add(progress) }
            }
    }

    /// Sends a push that is no update, over the connections of the loop that has this shard.
    /// - Returns: when it is answered, or will not be.
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
