import Messages
import APNsProtocol
import Activities
import FanOut
import HTTP2
import Logging
import SightscreenModels

/// Sends the silent and visible pushes that are due to apps: to phones that do not answer to starts and may have a new
/// start token to register, to phones that know what happened to a card whose token has died, and to a phone that is to
/// prove which user has it.
actor AppPushSender {
    private let store: ActivityStore
    private let fanOut: FanOutLoops
    private let publisher: MatchPublisher
    private let tokenOutcomes: TokenOutcomes
    private let matchHolds: MatchHolds
    private let pushes: PushesInFlight
    private let bundleID: String
    private let logger: Logger

    init(
        store: ActivityStore, fanOut: FanOutLoops, publisher: MatchPublisher, tokenOutcomes: TokenOutcomes,
        matchHolds: MatchHolds, pushes: PushesInFlight, bundleID: String, logger: Logger
    ) {
        self.store = store
        self.fanOut = fanOut
        self.publisher = publisher
        self.tokenOutcomes = tokenOutcomes
        self.matchHolds = matchHolds
        self.pushes = pushes
        self.bundleID = bundleID
        self.logger = logger
    }

    /// Sends the pushes that are due to phones of these shards.
    func send(_ held: [Int: HeldShard]) async throws {
        guard !held.isEmpty, pushes.room > 0 else { return }
        let claims = try await store.claimFallbacks(held.values.map(\.lease), limit: pushes.room) { [logger] in
            logger.warning("Some pushes to apps could not be claimed", metadata: ["error": "\($0)"])
        }
        for claim in claims {
            guard let shard = held[claim.shard] else { continue }
            await send(claim, shard.trust)
        }
    }

    private func send(_ claim: FallbackClaim, _ trust: ShardTrust) async {
        let push: OneShot
        do {
            push = try await self.push(claim, PushGate(trust, matchHolds.hold(of: claim.purpose.match?.id)))
        } catch {
            logger.error("A push to an app cannot be made", metadata: ["error": "\(error)"])
            return
        }
        pushes.begin()
        Task {
            let result = await fanOut.push(push, shard: claim.shard, to: claim.environment)
            do { try await finish(claim, result) } catch {
                // The push counts as sent, because it is sent at most once.
                logger.warning("A push to an app could not be noted", metadata: ["error": "\(error)"])
            }
            pushes.end()
        }
    }

    private func push(_ claim: FallbackClaim, _ gate: PushGate) async throws -> OneShot {
        let (path, target) = (APNsHeaders.path(token: claim.token), CandidateClaim.fallback(claim).target)
        guard case .start(let match, .visible) = claim.purpose else {
            let payload = try AppPayload.reconcile(matchID: claim.purpose.match?.id, confirm: claim.nonce?.text)
                .encode()
            return OneShot(
                kind: .silent, path: path,
                headers: .reconcile(bundleID: bundleID, at: claim.now, nonceUntil: claim.nonce?.until),
                body: HTTP2SharedBody(payload.bytes), target: target, gate: gate)
        }
        let state = await publisher.newest(of: match.id).update?.contentState
        let alert = PushAlert(
            title: AlertTitle.live(match, state), body: "Tap if it is not on your Lock Screen")
        let payload = try AppPayload.visible(matchID: match.id, alert: alert).encode()
        return OneShot(
            kind: .visible, path: path, headers: .visible(bundleID: bundleID, at: claim.now, match: match.id),
            body: HTTP2SharedBody(payload.bytes), target: target, gate: gate, level: .alerts)
    }

    /// Records the outcome. An answer other than 200 says that the push was not accepted; without an answer it may have
    /// been, and is not repeated.
    private func finish(_ claim: FallbackClaim, _ result: PushResult) async throws {
        switch result {
        case .unknown: return
        case .refused, .withdrawn: try await store.releaseFallback(claim, after: .milliseconds(500))
        case .onHold: try await store.releaseFallback(claim, after: .zero)
        case .stopped: try await store.releaseFallback(claim, after: .seconds(30))
        case .answered(let answer) where claim.purpose.strangersHost != nil:
            switch StartOutcome(answer) {
            case .sent, .giveUp: return
            // Somebody may have said so of a phone that is not of that host: its owner keeps the token.
            case .retire, .retireUnlessMany, .notForTopic: try await store.releaseFallback(claim, after: .seconds(60))
            case .retry(let seconds): try await store.releaseFallback(claim, after: .seconds(seconds))
            }
        case .answered(let answer):
            switch StartOutcome(answer) {
            case .sent: await tokenOutcomes.noteGood(.fallback(claim))
            case .retire(let sinceMs): try await store.retireDeviceToken(claim, sinceMs: sinceMs)
            case .retireUnlessMany:
                await tokenOutcomes.noteBad(.fallback(claim))
                try await store.releaseFallback(claim, after: .seconds(60))
            case .notForTopic:
                let wait = await tokenOutcomes.noteNotForTopic(.fallback(claim))
                try await store.releaseFallback(claim, after: .seconds(wait))
            case .giveUp: return
            case .retry(let seconds): try await store.releaseFallback(claim, after: .seconds(seconds))
            }
        }
    }
}
