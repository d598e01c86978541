import APNsProtocol
import Activities
import FanOut
import HTTP2
import Logging
import Messages
import Metrics
import SightscreenModels

/// The life of the broadcast channels whose shards this process holds: has APNs make them, gives them to the loops,
/// publishes their ends, and has APNs delete them.
///
/// Calls to APNs run beside the passes. Each is claimed in the table before it is made, so that no other process makes
/// it, and what it leads to is written under the shard's lease.
actor ChannelKeeper {
    /// Calls in one pass and kind: more would only wait for each other.
    private static let callsMax = 20
    /// Activities of a lost channel that are marked in one pass.
    private static let movedMax = 5_000
    /// The time between two comparisons of APNs' list with the table.
    private static let sweepInterval = Duration.seconds(600)
    /// The time between two counts of the channels that are missing.
    private static let measureInterval = Duration.seconds(10)

    /// The activities that listen to a channel.
    private struct Listeners {
        var count: Int
        var at = ContinuousClock.now

        /// Whether they are to be counted anew. Many are counted once a minute, like the tokens in the audit.
        var isOld: Bool { .now - at >= (count < 10_000 ? .seconds(10) : .seconds(60)) }
    }

    private let store: ChannelStore
    private let calls: ChannelCalls
    private let fanOut: FanOutLoops
    private let publisher: MatchPublisher
    private let matchHolds: MatchHolds
    private let bundleID: String
    private let dismissAfter: Int
    private let settings: LACoordinatorConfiguration.Channels
    private let logger: Logger
    private var sweptAt: ContinuousClock.Instant?
    private var measuredAt: ContinuousClock.Instant?
    private var listeners: [ChannelID: Listeners] = [:]
    private var isCounting = false

    init(
        store: ChannelStore, manager: ChannelManager, fanOut: FanOutLoops, publisher: MatchPublisher,
        matchHolds: MatchHolds, configuration: LACoordinatorConfiguration, logger: Logger
    ) {
        self.store = store
        calls = ChannelCalls(store: store, management: manager, logger: logger)
        self.fanOut = fanOut
        self.publisher = publisher
        self.matchHolds = matchHolds
        bundleID = configuration.apns.bundleID
        dismissAfter = Int(configuration.dismissAfter.components.seconds)
        settings = configuration.channels
        self.logger = logger
    }

    /// Gives the loops the open channels of these shards, and makes the calls that are due.
    func run(_ held: [Int: HeldShard]) async throws {
        if held[0] == nil, sweptAt != nil {
            sweptAt = nil
            ChannelCalls.forgetSweep()
        }
        if measuredAt.map({ .now - $0 >= Self.measureInterval }) ?? true {
            measuredAt = .now
            try await measure(Array(held.keys))
        }
        guard !held.isEmpty else { return }
        let leases = held.values.map(\.lease)
        // The ends are claimed first, so that a channel which ends gets no state after its end.
        let ends = try await store.claimEnds(leases, dismissAfter: dismissAfter)
        let open = counted(try await store.open(shards: Array(held.keys)))
        let shards = Set(held.keys)
        await fanOut.onEach { $0.update(open, of: shards) }
        for end in ends { if let shard = held[end.shard] { send(end, shard.trust) } }
        for call in try await store.claimDeletions(leases, limit: Self.callsMax) {
            Task { await calls.delete(call) }
        }
        _ = try await store.moveActivities(leases, limit: Self.movedMax)
        // Channels that are open when they are switched off go on to their end.
        guard settings.isOn else { return }
        for call in try await store.claimCreations(leases, limit: Self.callsMax) {
            Task { await calls.create(call, leases) }
        }
        if held[0] != nil, sweptAt.map({ .now - $0 >= Self.sweepInterval }) ?? true {
            sweptAt = .now
            Task { await calls.sweep(settings.sweep) }
        }
    }

    private func measure(_ shards: [Int]) async throws {
        for standing in try await store.standing(shards: shards) {
            let environment = ("environment", standing.environment.rawValue)
            Gauge(label: "sightscreen_channels_missing", dimensions: [environment]).record(standing.missing)
            for (cause, isSo) in [("off", standing.isOff), ("full", standing.isFull)] {
                Gauge(label: "sightscreen_channels_stopped", dimensions: [environment, ("cause", cause)])
                    .record(isSo ? 1 : 0)
            }
        }
    }

    /// Adds how many listen to each channel, as last counted.
    private func counted(_ open: [ChannelEntry]) -> [ChannelEntry] {
        let ids = open.map(\.id)
        listeners = listeners.filter { ids.contains($0.key) }
        countAnew(ids.filter { listeners[$0]?.isOld ?? true })
        return open.map { entry in
            var entry = entry
            entry.listeners = listeners[entry.id]?.count ?? 0
            return entry
        }
    }

    /// Counts the listeners of channels beside the passes.
    private func countAnew(_ due: [ChannelID]) {
        guard !due.isEmpty, !isCounting else { return }
        isCounting = true
        Task {
            do {
                let counts = try await store.listeners(of: due)
                for channel in due { listeners[channel] = Listeners(count: counts[channel] ?? 0) }
            } catch {
                logger.warning("The listeners of channels could not be counted", metadata: ["error": "\(error)"])
            }
            isCounting = false
        }
    }

    // MARK: - What the loops report

    func throttled(_ key: ChannelKey, perMinute: Int, restsUntil: Double) async {
        await note("A channel's limit could not be noted") {
            try await store.throttled(key, perMinute: perMinute, restsUntil: restsUntil)
        }
    }

    /// Records that a channel does not exist: its activities are moved.
    func lost(_ key: ChannelKey, reason: String) async {
        logger.error("APNs does not know a channel: its activities are moved", metadata: key.metadata(reason))
        await note("A lost channel could not be noted") { try await store.lost(key, reason: reason) }
    }

    /// Records that broadcasts are switched off: APNs has deleted every channel.
    func stopped(_ environment: APNsEnvironment, reason: String) async {
        await calls.stopped(environment, reason: reason)
    }

    private func note(_ failure: Logger.Message, _ body: () async throws -> Void) async {
        do { try await body() } catch { logger.warning(failure, metadata: ["error": "\(error)"]) }
    }

    private func send(_ end: ChannelStore.End, _ trust: ShardTrust) {
        Task {
            do {
                let newest = await publisher.newest(of: end.key.match)
                let stamp = Stamp(max(max(end.stamp, newest.stamp ?? end.stamp).rawValue + 1, end.now))
                let payload = try LiveActivityPayload.end(
                    stamp: stamp, contentState: newest.update?.contentState ?? end.contentState ?? .nothingToShow,
                    dismissAt: end.dismissAt
                ).encode()
                let push = OneShot(
                    kind: .publish, path: APNsHeaders.broadcastPath(bundleID: bundleID),
                    headers: .publish(to: end.id, priority: .immediate), body: HTTP2SharedBody(payload.bytes),
                    target: nil, gate: PushGate(trust, matchHolds.hold(of: end.key.match)))
                try await calls.finish(end, await fanOut.push(push, shard: end.shard, to: end.key.environment))
            } catch {
                // It is claimed again after the call's lease.
                logger.warning("An end could not be published", metadata: end.key.metadata("\(error)"))
            }
        }
    }
}
