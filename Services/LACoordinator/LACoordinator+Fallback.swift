import APNsProtocol
import Activities
import HTTP2
import Logging
import Messages
import SightscreenModels
import Store

extension LACoordinator {
    /// Sends what is due to apps: to those of phones that do not answer to starts, which may have a new start token to
    /// register, and to those that know what became of a card whose token has died.
    func sendFallbacks() async throws {
        guard !holds.isEmpty, pushes < Self.pushesMax else { return }
        let claims = try await store.claimFallbacks(Array(holds.values), limit: Self.pushesMax - pushes) { [logger] in
            logger.warning("Phones could not be asked about their cards", metadata: ["error": "\($0)"])
        }
        for claim in claims { await sendFallback(claim) }
    }

    private func sendFallback(_ claim: FallbackClaim) async {
        let payload: PushPayload
        let headers: APNsHeaders
        do {
            (payload, headers) = try fallbackPush(claim)
        } catch {
            logger.error("A push to an app cannot be made", metadata: ["error": "\(error)"])
            return
        }
        guard let trust = trust(of: claim.shard) else {
            // Not ours any more; it has not left.
            try? await store.releaseFallback(claim, after: .zero)
            return
        }
        let gate = PushGate(trust, brakes.brake(of: claim.match.id))
        pushes += 1
        Task {
            let isVisible = claim.step == .visible
            let result = await fanOut.push(
                OneShot(
                    kind: isVisible ? .visible : .silent, path: APNsHeaders.path(token: claim.token), headers: headers,
                    body: HTTP2SharedBody(payload.bytes), gate: gate, level: isVisible ? .alerts : .pushes),
                shard: claim.shard, to: claim.environment)
            pushes -= 1
            do { try await fallbackFinished(claim, result) } catch {
                // It counts as sent: at most once.
                logger.warning("A push to an app could not be noted", metadata: ["error": "\(error)"])
            }
        }
    }

    private func fallbackPush(_ claim: FallbackClaim) throws(PayloadError) -> (PushPayload, APNsHeaders) {
        let bundleID = configuration.apns.bundleID
        guard claim.step == .visible else {
            return (
                try AppPayload.reconcile(matchID: claim.match.id).encode(),
                .reconcile(bundleID: bundleID, at: claim.now)
            )
        }
        let title = Self.liveTitle(claim.match, matches[claim.match.id]?.update?.contentState)
        let alert = PushAlert(title: title, body: "Open the app to see the score on your Lock Screen")
        return (
            try AppPayload.visible(matchID: claim.match.id, alert: alert).encode(),
            .visible(bundleID: bundleID, at: claim.now, match: claim.match.id)
        )
    }

    /// An answer other than 200 says that it was not taken; without an answer it may have been, and is not repeated.
    private func fallbackFinished(_ claim: FallbackClaim, _ result: PushResult) async throws {
        switch result {
        case .unknown: return
        case .refused, .withdrawn: try await store.releaseFallback(claim, after: .milliseconds(500))
        case .braked: try await store.releaseFallback(claim, after: .zero)
        case .held: try await store.releaseFallback(claim, after: .seconds(30))
        case .answered(let answer):
            switch StartVerdict(answer) {
            case .sent: noteGoodToken(.fallback(claim))
            case .retire(let sinceMs): try await store.retireDeviceToken(claim, sinceMs: sinceMs)
            case .retireUnlessMany:
                suspect(.fallback(claim))
                try await store.releaseFallback(claim, after: .seconds(60))
            case .giveUp: return
            case .again(let seconds): try await store.releaseFallback(claim, after: .seconds(seconds))
            }
        }
    }
}
