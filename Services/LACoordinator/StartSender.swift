import APNsProtocol
import Activities
import FanOut
import HTTP2
import Logging
import Messages
import Reactor
import ServiceKit
import SightscreenModels

/// Claims pending activities and sends each one push-to-start.
actor StartSender {
    /// The start rate as a token bucket: the starts left, refilled at a rate per second.
    private struct Budget {
        var left: Double = 0
        var at = ContinuousClock.now
        /// When all pending activities were last scanned, and not only those in front.
        var scannedAt = ContinuousClock.now

        /// Adds what has accrued since the last call, up to one second's worth, and returns the whole starts that are
        /// left.
        mutating func refill(rate: Double) -> Int {
            let now = ContinuousClock.now
            left = min(left + rate * ((now - at) / .seconds(1)), max(rate, 1))
            at = now
            return Int(left)
        }
    }

    /// Starts on channels that APNs has accepted and that are not recorded yet.
    private struct Accepted {
        var claims: [StartClaim] = []
        var isRecording = false
    }

    /// The time between two scans of all pending activities, while none of those in front may be started.
    private static let thoroughInterval = Duration.seconds(10)

    private let store: ActivityStore
    private let fanOut: FanOutLoops
    private let publisher: MatchPublisher
    private let tokenOutcomes: TokenOutcomes
    private let gates: StartGates
    private let matchHolds: MatchHolds
    private let pushes: PushesInFlight
    private let schedule: Schedule
    private let configuration: LACoordinatorConfiguration
    private let logger: Logger
    private var budget = Budget()
    private var accepted = Accepted()

    init(
        store: ActivityStore, fanOut: FanOutLoops, publisher: MatchPublisher, tokenOutcomes: TokenOutcomes,
        gates: StartGates, matchHolds: MatchHolds, pushes: PushesInFlight, schedule: Schedule,
        configuration: LACoordinatorConfiguration, logger: Logger
    ) {
        self.store = store
        self.fanOut = fanOut
        self.publisher = publisher
        self.tokenOutcomes = tokenOutcomes
        self.gates = gates
        self.matchHolds = matchHolds
        self.pushes = pushes
        self.schedule = schedule
        self.configuration = configuration
        self.logger = logger
    }

    /// Sends the starts and renewals that are due in these shards. A match that begins makes a million due: while there
    /// is room for a whole claim, the next one does not wait for the next full reading.
    func send(_ held: [Int: HeldShard]) async throws {
        let allowed = allowed(shards: held.count)
        guard allowed > 0, !held.isEmpty else { return }
        let (shardLeases, lease) = (held.values.map(\.lease), configuration.startLease)
        var claims = try await store.claimStarts(shardLeases, limit: allowed, lease: lease)
        if claims.isEmpty, .now - budget.scannedAt > Self.thoroughInterval {
            budget.scannedAt = .now
            claims = try await store.claimStarts(shardLeases, limit: allowed, lease: lease, isThorough: true)
        }
        await send(claims, held)
        if claims.count == ActivityStore.claimMax, allowed - claims.count >= ActivityStore.claimMax {
            schedule.readActivities()
        }
        // Renewals come after starts: their activities still run.
        guard claims.count < allowed else { return }
        await send(try await store.claimRenewals(shardLeases, limit: allowed - claims.count, lease: lease), held)
    }

    /// The starts that may be sent now, by `START_RATE`, our part of the shards, and the room for pushes in flight.
    private func allowed(shards: Int) -> Int {
        guard configuration.startRate > 0 else { return pushes.room }
        let rate = Double(configuration.startRate) * Double(shards) / Double(DeviceRoute.shardCount)
        return max(0, min(budget.refill(rate: rate), pushes.room))
    }

    private func send(_ claims: [StartClaim], _ held: [Int: HeldShard]) async {
        budget.left -= Double(claims.count)
        for claim in claims {
            guard let shard = held[claim.route.shard] else { continue }
            await send(claim, shard.trust)
        }
    }

    /// Sends one start. A start that cannot be sent does not hold up the others: it is released or given up.
    private func send(_ claim: StartClaim, _ trust: ShardTrust) async {
        guard let update = await publisher.freshUpdate(of: claim.key.matchID) else {
            try? await store.releaseStart(claim, after: .seconds(1))
            return
        }
        let payload: PushPayload
        do {
            payload = try await self.payload(claim, update)
        } catch {
            logger.error("A start cannot be made", metadata: ["match.id": "\(claim.key.matchID)", "error": "\(error)"])
            try? await store.giveUpStart(claim)
            return
        }
        let gate = PushGate(trust, matchHolds.hold(of: claim.key.matchID))
        let push = OneShot(
            kind: .start, path: APNsHeaders.path(token: claim.token),
            headers: .start(
                bundleID: configuration.apns.bundleID, leaseUntil: claim.leaseUntil, match: claim.key.matchID,
                route: claim.route), body: HTTP2SharedBody(payload.bytes),
            target: CandidateClaim.start(claim).target, gate: gate)
        gates.add(gate, of: claim.key, isRenewal: claim.isRenewal)
        pushes.begin()
        Task {
            let result = await fanOut.push(push, shard: claim.route.shard, to: claim.environment)
            gates.remove(gate, of: claim.key)
            do { try await finish(claim, result) } catch {
                // The lease stays in force; another start goes when it is over.
                logger.warning("A start's answer could not be noted", metadata: ["error": "\(error)"])
            }
            pushes.end()
        }
    }

    private func payload(_ claim: StartClaim, _ update: MatchUpdate) async throws -> PushPayload {
        let keepAlive = Int(configuration.keepAliveInterval.components.seconds)
        return try LiveActivityPayload.start(
            stamp: update.stamp, contentState: update.contentState,
            staleAt: LiveActivityPayload.staleAt(update.stamp, isInBreak: update.isInBreak, keepAlive: keepAlive),
            relevance: update.relevance,
            alert: Self.alert(
                claim.match, update.contentState, isRenewal: claim.isRenewal, at: await publisher.clock.seconds),
            attributesType: configuration.apns.attributesType,
            attributes: LiveActivityAttributes(
                matchID: claim.key.matchID, startID: claim.startID, home: claim.match.home, away: claim.match.away,
                competition: claim.match.competition, startsAt: claim.match.startsAt,
                followedTeamID: claim.followedTeamID, channelID: claim.channel)
        ).encode()
    }

    /// Records the outcome. An answer other than 200 says that there was no start; without an answer the lease has to
    /// expire first.
    private func finish(_ claim: StartClaim, _ result: PushResult) async throws {
        switch result {
        case .unknown: return
        case .refused, .withdrawn: try await store.releaseStart(claim, after: .milliseconds(500))
        case .onHold: try await store.releaseStart(claim, after: .zero)
        case .stopped: try await store.releaseStart(claim, after: .seconds(30))
        case .answered(let answer):
            switch StartOutcome(answer) {
            case .sent:
                await tokenOutcomes.noteGood(.start(claim))
                if claim.channel != nil { await record(claim) }
            case .retire(let sinceMs): try await store.retireStartToken(claim, sinceMs: sinceMs)
            case .retireUnlessMany:
                await tokenOutcomes.noteBad(.start(claim))
                try await store.releaseStart(claim, after: .seconds(60))
            case .notForTopic:
                let wait = await tokenOutcomes.noteNotForTopic(.start(claim))
                try await store.releaseStart(claim, after: .seconds(wait))
            case .giveUp: try await store.giveUpStart(claim)
            case .retry(let seconds): try await store.releaseStart(claim, after: .seconds(seconds))
            }
        }
    }

    /// Records that a start on a channel was accepted, together with those that have accumulated since the last write:
    /// a match that begins has a thousand in a moment. No token will say so, and once the lease is over there would be
    /// another start: a database that is away is asked again until then. A start that is not recorded counts as in
    /// flight, so that no more are sent than can be recorded.
    private func record(_ claim: StartClaim) async {
        accepted.claims.append(claim)
        pushes.begin()
        guard !accepted.isRecording else { return }
        accepted.isRecording = true
        while !accepted.claims.isEmpty {
            let claims = Array(accepted.claims.prefix(ActivityStore.claimMax))
            accepted.claims.removeFirst(claims.count)
            do {
                try await store.startedOnChannel(claims)
                pushes.end(claims.count)
            } catch {
                logger.warning(
                    "Answers to starts could not be noted",
                    metadata: ["starts": "\(claims.count)", "error": "\(error)"])
                let now = await publisher.clock.seconds
                let kept = claims.filter { now < $0.leaseUntil }
                accepted.claims += kept
                pushes.end(claims.count - kept.count)
                try? await Task.sleep(for: .seconds(1))
            }
        }
        accepted.isRecording = false
    }

    /// The alert that iOS shows when it starts the activity; iOS requires one. That of a renewal tells a follower who
    /// has had the match for hours that it stays.
    /// - Parameter now: seconds since 1970.
    static func alert(_ match: MatchCard, _ state: ContentState, isRenewal: Bool, at now: Int) -> PushAlert {
        let score = [state.compactLeading.teamAbbr, state.compactLeading.score].filter { !$0.isEmpty }
        let overs = state.compactTrailing.overs.isEmpty ? "" : " (\(state.compactTrailing.overs))"
        let body = state.compactLeading.score.isEmpty ? state.expanded.subtitle : score.joined(separator: " ") + overs
        if isRenewal {
            let stays = "with you for the next hours"
            return PushAlert(
                title: AlertTitle.renewed(match, state),
                body: state.compactLeading.score.isEmpty ? "W\(stays.dropFirst())" : "\(body), \(stays)")
        }
        let isScheduled = state.matchDisplayState == .scheduled
        return PushAlert(
            title: isScheduled ? AlertTitle.soon(match, state, at: now) : AlertTitle.live(match, state),
            body: body.isEmpty ? match.competition : body)
    }
}
