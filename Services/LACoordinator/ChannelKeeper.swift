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

    private let store: ChannelStore
    private let manager: ChannelManager
    private let fanOut: FanOutLoops
    private let publisher: MatchPublisher
    private let matchHolds: MatchHolds
    private let bundleID: String
    private let dismissAfter: Int
    private let settings: LACoordinatorConfiguration.Channels
    private let logger: Logger
    private var sweptAt: ContinuousClock.Instant?

    init(
        store: ChannelStore, manager: ChannelManager, fanOut: FanOutLoops, publisher: MatchPublisher,
        matchHolds: MatchHolds, configuration: LACoordinatorConfiguration, logger: Logger
    ) {
        self.store = store
        self.manager = manager
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
        guard !held.isEmpty else { return }
        let leases = held.values.map(\.lease)
        // The ends are claimed first, so that a channel which ends gets no state after its end.
        let ends = try await store.claimEnds(leases, dismissAfter: dismissAfter)
        let open = try await store.open(shards: Array(held.keys))
        let shards = Set(held.keys)
        await fanOut.onEach { $0.update(open, of: shards) }
        for end in ends { if let shard = held[end.shard] { send(end, shard.trust) } }
        for call in try await store.claimDeletions(leases, limit: Self.callsMax) { Task { await delete(call) } }
        _ = try await store.moveActivities(leases, limit: Self.movedMax)
        // Channels that are open when they are switched off go on to their end.
        guard settings.isOn else { return }
        for call in try await store.claimCreations(leases, limit: Self.callsMax) {
            Task { await create(call, leases) }
        }
        if held[0] != nil, sweptAt.map({ .now - $0 >= Self.sweepInterval }) ?? true {
            sweptAt = .now
            Task { await sweep() }
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
        logger.error(
            "Broadcasts are switched off for the app: activities are moved to tokens",
            metadata: ["apns.environment": "\(environment)", "apns.reason": "\(reason)"])
        await note("That broadcasts are off could not be noted") {
            try await store.stopped(environment, reason: reason, isOff: true)
        }
    }

    private func note(_ failure: Logger.Message, _ body: () async throws -> Void) async {
        do { try await body() } catch { logger.warning(failure, metadata: ["error": "\(error)"]) }
    }

    // MARK: - Calls

    private func create(_ call: ChannelStore.Call, _ leases: [ShardLease]) async {
        do {
            switch try await manager.create(call.key.environment) {
            case .channel(let id):
                count("create", "accepted")
                guard try await store.opened(call.key, id, leases) else {
                    // Another process has one by now, or the match is over.
                    _ = try await manager.delete(id, call.key.environment)
                    return
                }
                logger.info("Channel created", metadata: call.key.metadata())
            case .refused(let answer):
                count("create", PushResult.outcome(status: answer.status))
                try await refused(call, answer)
            }
        } catch {
            // The answer may have been lost: a channel that was made is found by the sweep.
            count("create", "unknown")
            logger.warning("A channel could not be created", metadata: call.key.metadata("\(error)"))
        }
    }

    private func refused(_ call: ChannelStore.Call, _ answer: APNsAnswer) async throws {
        let reason = answer.reasonText ?? "\(answer.status)"
        switch answer.action {
        case .broadcastOff: await stopped(call.key.environment, reason: reason)
        case .channelsFull:
            logger.error("APNs has no room for more channels", metadata: call.key.metadata(reason))
            try await store.stopped(call.key.environment, reason: reason, isOff: false)
        default:
            logger.warning("APNs refuses to create a channel", metadata: call.key.metadata(reason))
            try await store.delay(call.key, by: max(ChannelStore.callLease, .seconds(min(answer.retryAfter ?? 0, 900))))
        }
    }

    private func delete(_ call: ChannelStore.Call) async {
        guard let id = call.id else { return }
        do {
            if let answer = try await manager.delete(id, call.key.environment) {
                count("delete", PushResult.outcome(status: answer.status))
                logger.warning(
                    "APNs refuses to delete a channel", metadata: call.key.metadata(answer.reasonText ?? ""))
            } else {
                count("delete", "accepted")
                try await store.deleted(call.key)
                logger.info("Channel deleted", metadata: call.key.metadata())
            }
        } catch {
            count("delete", "unknown")
            logger.warning("A channel could not be deleted", metadata: call.key.metadata("\(error)"))
        }
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
                    gate: PushGate(trust, matchHolds.hold(of: end.key.match)))
                try await finish(end, await fanOut.push(push, shard: end.shard, to: end.key.environment))
            } catch {
                // It is claimed again after the call's lease.
                logger.warning("An end could not be published", metadata: end.key.metadata("\(error)"))
            }
        }
    }

    private func finish(_ end: ChannelStore.End, _ result: PushResult) async throws {
        switch result {
        case .refused, .withdrawn, .onHold: try await store.delayEnd(end.key, by: .seconds(1))
        case .stopped: try await store.delayEnd(end.key, by: .seconds(30))
        // An end may be published twice: the card goes at the same time.
        case .unknown: try await store.delayEnd(end.key, by: .seconds(5))
        case .answered(let answer):
            switch answer.action {
            case .accepted: try await store.ended(end.key)
            case .channelGone: try await store.lost(end.key, reason: answer.reasonText ?? "")
            case .broadcastOff: await stopped(end.key.environment, reason: answer.reasonText ?? "")
            case .ourBug, .rebuildSmaller:
                // Another try gets the same answer. The channel is deleted in its time, which ends nothing on a phone.
                logger.error("APNs refuses an end", metadata: end.key.metadata(answer.reasonText ?? ""))
                try await store.ended(end.key)
            default: try await store.delayEnd(end.key, by: .seconds(min(max(answer.retryAfter ?? 10, 10), 900)))
            }
        }
    }

    /// Compares the channels that APNs has with the table. One that no row has named for ten minutes is an orphan of a
    /// lost answer, or another system's that shares the app.
    private func sweep() async {
        for environment in APNsEnvironment.allCases {
            do {
                guard let listed = try await manager.list(environment) else { continue }
                Gauge(label: "sightscreen_channels_listed", dimensions: [("environment", environment.rawValue)])
                    .record(listed.count)
                let unknown = try await store.unknown(listed, in: environment)
                Gauge(label: "sightscreen_channels_unknown", dimensions: [("environment", environment.rawValue)])
                    .record(unknown.count)
                guard !unknown.isEmpty else { continue }
                logger.warning(
                    "APNs has channels that no row names",
                    metadata: ["apns.environment": "\(environment)", "count": "\(unknown.count)"])
                guard settings.sweep == .delete else { continue }
                for channel in unknown { _ = try await manager.delete(channel, environment) }
            } catch {
                logger.warning(
                    "The channels could not be listed",
                    metadata: ["apns.environment": "\(environment)", "error": "\(error)"])
            }
        }
    }

    private func count(_ call: String, _ outcome: String) {
        Counter(label: "sightscreen_channel_calls_total", dimensions: [("call", call), ("outcome", outcome)])
            .increment()
    }
}

extension ChannelKey {
    fileprivate func metadata(_ reason: String? = nil) -> Logger.Metadata {
        var metadata: Logger.Metadata = [
            "match.id": "\(match)", "apns.environment": "\(environment)", "channel.class": "\(audience.rawValue)",
            "channel.generation": "\(generation)",
        ]
        if let reason { metadata["apns.reason"] = "\(reason)" }
        return metadata
    }
}
