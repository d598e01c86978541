import APNsProtocol
import Activities
import FanOut
import Logging
import Metrics
import SightscreenModels

/// Apple's management of broadcast channels, as `ChannelManager` calls it.
protocol ChannelManagement: Sendable {
    func create(_ environment: APNsEnvironment) async throws -> ChannelManager.Created
    func delete(_ channel: ChannelID, _ environment: APNsEnvironment) async throws -> APNsAnswer?
    func list(_ environment: APNsEnvironment) async throws -> ChannelManager.Listed
}

extension ChannelManager: ChannelManagement {}

/// The calls to APNs about channels that have been claimed, and what becomes of a channel by each answer. What an answer
/// leads to is written under the shard's lease. Each call is counted once, and one that was refused or not answered is
/// one line in the log.
struct ChannelCalls: Sendable {
    let store: ChannelStore
    let management: any ChannelManagement
    let logger: Logger

    /// What may become of a call.
    private static let outcomes: [PushOutcome] = [.accepted, .rejected, .throttled, .serverError, .unknown]

    /// Starts the counters at 0, so that an alert on their growth sees the first refusal.
    static func beginCounters() {
        for environment in APNsEnvironment.allCases {
            for call in ["create", "delete", "list"] {
                for outcome in outcomes { count(call, environment, outcome, by: 0) }
            }
        }
    }

    /// - Parameter leases: those under which the call was claimed.
    func create(_ call: ChannelStore.Call, _ leases: [ShardLease]) async {
        let environment = call.key.environment
        let created: ChannelManager.Created
        do { created = try await management.create(environment) } catch {
            // The answer may have been lost: a channel that was made is found by the sweep.
            Self.count("create", environment, .unknown)
            return logger.warning("A channel could not be created", metadata: call.key.metadata("\(error)"))
        }
        do {
            switch created {
            case .channel(let id):
                Self.count("create", environment, .accepted)
                guard try await store.opened(call.key, id, leases) else {
                    // Another process has one by now, or the match is over.
                    _ = await delete(id, environment, call.key.metadata())
                    return
                }
                logger.info("Channel created", metadata: call.key.metadata())
            case .refused(let answer):
                Self.count("create", environment, PushOutcome(status: answer.status))
                try await refused(call, answer)
            }
        } catch {
            logger.warning(
                "What became of a channel's creation could not be noted", metadata: call.key.metadata("\(error)"))
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

    func delete(_ call: ChannelStore.Call) async {
        guard let id = call.id, await delete(id, call.key.environment, call.key.metadata()) else { return }
        do {
            try await store.deleted(call.key)
            logger.info("Channel deleted", metadata: call.key.metadata())
        } catch {
            logger.warning("A channel's deletion could not be noted", metadata: call.key.metadata("\(error)"))
        }
    }

    /// - Returns: whether APNs has it no more.
    private func delete(_ id: ChannelID, _ environment: APNsEnvironment, _ metadata: Logger.Metadata) async -> Bool {
        do {
            guard let answer = try await management.delete(id, environment) else {
                Self.count("delete", environment, .accepted)
                return true
            }
            Self.count("delete", environment, PushOutcome(status: answer.status))
            logger.warning("APNs refuses to delete a channel", metadata: metadata.merging(answer.metadata) { $1 })
        } catch {
            Self.count("delete", environment, .unknown)
            logger.warning("A channel could not be deleted", metadata: metadata.merging(["error": "\(error)"]) { $1 })
        }
        return false
    }

    /// Records what became of an `end` that was published.
    func finish(_ end: ChannelStore.End, _ result: PushResult) async throws {
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
            default:
                logger.warning("APNs does not take an end now", metadata: end.key.metadata(answer.reasonText ?? ""))
                try await store.delayEnd(end.key, by: .seconds(min(max(answer.retryAfter ?? 10, 10), 900)))
            }
        }
    }

    /// Compares the channels that APNs has with the table. One that no row has named for ten minutes is an orphan of a
    /// lost answer, or another system's that shares the app.
    /// - Returns: the orphans, as they were listed.
    @discardableResult
    func sweep(_ policy: LACoordinatorConfiguration.Channels.Sweep) async -> [ChannelID] {
        var orphans: [ChannelID] = []
        for environment in APNsEnvironment.allCases {
            guard let listed = await list(environment) else { continue }
            let metadata: Logger.Metadata = ["apns.environment": "\(environment)"]
            let unknown: [ChannelID]
            do { unknown = try await store.unknown(listed, in: environment) } catch {
                logger.warning(
                    "The channels could not be compared", metadata: metadata.merging(["error": "\(error)"]) { $1 })
                continue
            }
            Self.listed(environment).record(listed.count)
            Self.unknown(environment).record(unknown.count)
            guard !unknown.isEmpty else { continue }
            orphans += unknown
            logger.warning(
                "APNs has channels that no row names", metadata: metadata.merging(["count": "\(unknown.count)"]) { $1 })
            guard policy == .delete else { continue }
            for channel in unknown { _ = await delete(channel, environment, metadata) }
        }
        return orphans
    }

    /// Removes what a sweep has measured: another process sweeps from now on.
    static func forgetSweep() {
        for environment in APNsEnvironment.allCases {
            listed(environment).destroy()
            unknown(environment).destroy()
        }
    }

    private static func listed(_ environment: APNsEnvironment) -> Gauge {
        Gauge(label: "sightscreen_channels_listed", dimensions: [("environment", environment.rawValue)])
    }

    private static func unknown(_ environment: APNsEnvironment) -> Gauge {
        Gauge(label: "sightscreen_channels_unknown", dimensions: [("environment", environment.rawValue)])
    }

    private func list(_ environment: APNsEnvironment) async -> [ChannelID]? {
        let metadata: Logger.Metadata = ["apns.environment": "\(environment)"]
        do {
            switch try await management.list(environment) {
            case .channels(let channels):
                Self.count("list", environment, .accepted)
                return channels
            case .refused(let answer):
                Self.count("list", environment, PushOutcome(status: answer.status))
                logger.warning("APNs refuses to list the channels", metadata: metadata.merging(answer.metadata) { $1 })
            }
        } catch {
            Self.count("list", environment, .unknown)
            logger.warning("The channels could not be listed", metadata: metadata.merging(["error": "\(error)"]) { $1 })
        }
        return nil
    }

    /// Records that broadcasts are switched off: APNs has deleted every channel.
    func stopped(_ environment: APNsEnvironment, reason: String) async {
        logger.error(
            "Broadcasts are switched off for the app: activities are moved to tokens",
            metadata: ["apns.environment": "\(environment)", "apns.reason": "\(reason)"])
        do {
            try await store.stopped(environment, reason: reason, isOff: true)
        } catch {
            logger.warning("That broadcasts are off could not be noted", metadata: ["error": "\(error)"])
        }
    }

    private static func count(_ call: String, _ environment: APNsEnvironment, _ outcome: PushOutcome, by count: Int = 1)
    {
        Counter(
            label: "sightscreen_channel_calls_total",
            dimensions: [("call", call), ("environment", environment.rawValue), ("outcome", outcome.rawValue)]
        ).increment(by: count)
    }
}

extension APNsAnswer {
    /// What a line of the log says of a refusal.
    fileprivate var metadata: Logger.Metadata { ["apns.reason": "\(reasonText ?? "\(status)")"] }
}

extension ChannelKey {
    func metadata(_ reason: String? = nil) -> Logger.Metadata {
        var metadata: Logger.Metadata = [
            "match.id": "\(match)", "apns.environment": "\(environment)", "channel.class": "\(audience.rawValue)",
            "channel.generation": "\(generation)",
        ]
        if let reason { metadata["apns.reason"] = "\(reason)" }
        return metadata
    }
}
