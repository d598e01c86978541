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
    func list(_ environment: APNsEnvironment) async throws -> [ChannelID]?
}

extension ChannelManager: ChannelManagement {}

/// The calls to APNs about channels that have been claimed, and what becomes of a channel by each answer. What an answer
/// leads to is written under the shard's lease.
struct ChannelCalls: Sendable {
    let store: ChannelStore
    let management: any ChannelManagement
    let logger: Logger

    /// - Parameter leases: those under which the call was claimed.
    func create(_ call: ChannelStore.Call, _ leases: [ShardLease]) async {
        do {
            switch try await management.create(call.key.environment) {
            case .channel(let id):
                count("create", "accepted")
                guard try await store.opened(call.key, id, leases) else {
                    // Another process has one by now, or the match is over.
                    _ = try await management.delete(id, call.key.environment)
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

    func delete(_ call: ChannelStore.Call) async {
        guard let id = call.id else { return }
        do {
            if let answer = try await management.delete(id, call.key.environment) {
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
            default: try await store.delayEnd(end.key, by: .seconds(min(max(answer.retryAfter ?? 10, 10), 900)))
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
            do {
                guard let listed = try await management.list(environment) else { continue }
                Gauge(label: "sightscreen_channels_listed", dimensions: [("environment", environment.rawValue)])
                    .record(listed.count)
                let unknown = try await store.unknown(listed, in: environment)
                Gauge(label: "sightscreen_channels_unknown", dimensions: [("environment", environment.rawValue)])
                    .record(unknown.count)
                guard !unknown.isEmpty else { continue }
                orphans += unknown
                logger.warning(
                    "APNs has channels that no row names",
                    metadata: ["apns.environment": "\(environment)", "count": "\(unknown.count)"])
                guard policy == .delete else { continue }
                for channel in unknown { _ = try await management.delete(channel, environment) }
            } catch {
                logger.warning(
                    "The channels could not be listed",
                    metadata: ["apns.environment": "\(environment)", "error": "\(error)"])
            }
        }
        return orphans
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

    private func count(_ call: String, _ outcome: String) {
        Counter(label: "sightscreen_channel_calls_total", dimensions: [("call", call), ("outcome", outcome)])
            .increment()
    }
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
