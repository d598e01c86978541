import APNsProtocol
import Activities
import HTTP2
import Logging
import Messages
import ServiceKit
import SightscreenModels
import Store

extension LACoordinator {
    /// Claims pending activities and sends each one push-to-start.
    func sendStarts() async throws {
        await retireBadTokens()
        await noteProvenTokens()
        let allowed = startsAllowed()
        guard allowed > 0, !holds.isEmpty else { return }
        var claims = try await store.claimStarts(
            Array(holds.values), limit: allowed, lease: configuration.startLease)
        if claims.isEmpty, .now - thoroughlyLookedAt > Self.thoroughInterval {
            thoroughlyLookedAt = .now
            claims = try await store.claimStarts(
                Array(holds.values), limit: allowed, lease: configuration.startLease, isThorough: true)
        }
        startBudget -= Double(claims.count)
        for claim in claims { await sendStart(claim) }
        // What runs can wait for what does not.
        guard claims.count < allowed else { return }
        let renewals = try await store.claimRenewals(
            Array(holds.values), limit: allowed - claims.count, lease: configuration.startLease)
        startBudget -= Double(renewals.count)
        for claim in renewals { await sendStart(claim) }
    }

    /// By `START_RATE` and our part of the shards, since the last look; at most a second's worth is saved up.
    private func startsAllowed() -> Int {
        let room = Self.pushesMax - pushes
        guard configuration.startRate > 0 else { return max(0, room) }
        let rate = Double(configuration.startRate) * Double(holds.count) / Double(DeviceRoute.shardCount)
        let now = ContinuousClock.now
        startBudget = min(startBudget + rate * ((now - startBudgetAt) / .seconds(1)), max(rate, 1))
        startBudgetAt = now
        return max(0, min(Int(startBudget), room))
    }

    /// One that cannot be sent must not hold up the others: its lease passes, or it is given up.
    private func sendStart(_ claim: StartClaim) async {
        guard let match = matches[claim.key.matchID], let update = match.update else {
            try? await store.releaseStart(claim, after: .seconds(1))
            return
        }
        // A state that has not changed for a while gets a stamp of now.
        var stamp = update.stamp
        if clock.seconds - stamp.rawValue > 10 {
            if let fresh = match.fresh, fresh.version == update.version, clock.seconds - fresh.stamp.rawValue <= 10 {
                stamp = fresh.stamp
            } else {
                guard let fresh = try? await store.takeStamp(match.id), fresh.version == update.version else {
                    // A newer version is on its way, or the database is away: an old stamp could be one that the phone
                    // takes for outdated.
                    try? await store.releaseStart(claim, after: .seconds(1))
                    return
                }
                match.fresh = fresh
                stamp = fresh.stamp
            }
        }
        let attributes = LiveActivityAttributes(
            matchID: claim.key.matchID, startID: claim.startID, home: claim.match.home, away: claim.match.away,
            competition: claim.match.competition, startsAt: claim.match.startsAt, followedTeamID: claim.followedTeamID)
        let payload: PushPayload
        do {
            payload = try LiveActivityPayload.start(
                stamp: stamp, contentState: update.contentState,
                staleAt: LiveActivityPayload.staleAt(
                    stamp, isInBreak: match.isInBreak,
                    keepAlive: Int(configuration.keepAliveInterval.components.seconds)),
                relevance: update.relevance,
                alert: Self.startAlert(claim.match, update.contentState, at: clock.seconds),
                attributesType: configuration.apns.attributesType, attributes: attributes
            ).encode()
        } catch {
            logger.error("A start cannot be made", metadata: ["match.id": "\(match.id)", "error": "\(error)"])
            try? await store.giveUpStart(claim)
            return
        }
        let headers = APNsHeaders.start(
            bundleID: configuration.apns.bundleID, leaseUntil: claim.leaseUntil, match: claim.key.matchID,
            route: claim.route)
        guard let trust = trust(of: claim.route.shard) else {
            // Not ours any more; it has not left.
            try? await store.releaseStart(claim, after: .zero)
            return
        }
        let gate = PushGate(trust, match.brake)
        startGates[claim.key] = StartGate(gate: gate, isRenewal: claim.isRenewal)
        pushes += 1
        Task {
            let result = await fanOut.push(
                OneShot(
                    kind: .start, path: APNsHeaders.path(token: claim.token), headers: headers,
                    body: HTTP2SharedBody(payload.bytes), gate: gate), shard: claim.route.shard, to: claim.environment)
            pushes -= 1
            if startGates[claim.key]?.gate === gate { startGates[claim.key] = nil }
            do { try await startFinished(claim, result) } catch {
                // The lease stands: another start goes when it is over.
                logger.warning("A start's answer could not be noted", metadata: ["error": "\(error)"])
            }
        }
    }

    /// An answer other than 200 says that there was no start; without an answer the lease has to pass.
    private func startFinished(_ claim: StartClaim, _ result: PushResult) async throws {
        switch result {
        case .unknown: return
        case .refused, .withdrawn: try await store.releaseStart(claim, after: .milliseconds(500))
        case .braked: try await store.releaseStart(claim, after: .zero)
        case .held: try await store.releaseStart(claim, after: .seconds(30))
        case .answered(let answer):
            switch StartVerdict(answer) {
            case .sent: noteGoodToken(.start(claim))
            case .retire(let sinceMs): try await store.retireStartToken(claim, sinceMs: sinceMs)
            case .retireUnlessMany:
                suspect(.start(claim))
                try await store.releaseStart(claim, after: .seconds(60))
            case .giveUp: try await store.giveUpStart(claim)
            case .again(let seconds): try await store.releaseStart(claim, after: .seconds(seconds))
            }
        }
    }

    /// What iOS shows when it starts the activity; it insists on one.
    /// - Parameter now: seconds since 1970.
    static func startAlert(_ match: MatchCard, _ state: ContentState, at now: Int) -> PushAlert {
        let score = [state.compactLeading.teamAbbr, state.compactLeading.score].filter { !$0.isEmpty }
        let overs = state.compactTrailing.overs.isEmpty ? "" : " (\(state.compactTrailing.overs))"
        let body = state.compactLeading.score.isEmpty ? state.expanded.subtitle : score.joined(separator: " ") + overs
        let title = state.matchDisplayState == .scheduled ? soonTitle(match, state, now) : liveTitle(match, state)
        return PushAlert(title: title, body: body.isEmpty ? match.competition : body)
    }

    /// "MI v CSK is live".
    static func liveTitle(_ match: MatchCard, _ state: ContentState?) -> String { "\(teams(match, state)) is live" }

    /// "MI v CSK starts in 10 min": a card that `START_LEAD` shows before play.
    private static func soonTitle(_ match: MatchCard, _ state: ContentState, _ now: Int) -> String {
        let minutes = (match.startsAt - now + 59) / 60
        // A delay of which the schedule has not spoken; or no start that anybody would count down to.
        return "\(teams(match, state)) starts \((1...90).contains(minutes) ? "in \(minutes) min" : "soon")"
    }

    private static func teams(_ match: MatchCard, _ state: ContentState?) -> String {
        let teams = [match.home.code, match.away.code].filter { !$0.isEmpty }
        // The schedule does not know it: the state names both.
        let title = teams.count == 2 ? teams.joined(separator: " v ") : state?.expanded.title ?? ""
        return title.isEmpty ? "Your match" : title
    }
}
