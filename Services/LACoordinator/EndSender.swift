import Messages
import APNsProtocol
import Activities
import FanOut
import HTTP2
import Logging
import SightscreenModels

/// Claims the ends that are due, and sends each when no other push to its token is in flight.
actor EndSender {
    /// The claimed ends, by their state.
    private struct Ends {
        /// Claims that wait until no update to their activity is in flight.
        var waiting: [MatchID: [RosterKey: EndClaim]] = [:]
        /// Results that are not written yet.
        var results: [(claim: EndClaim, result: ActivityStore.EndResult)] = []
        var isNoting = false

        mutating func remove(_ match: MatchID, _ key: RosterKey) -> EndClaim? {
            defer { if waiting[match]?.isEmpty == true { waiting[match] = nil } }
            return waiting[match]?.removeValue(forKey: key)
        }
    }

    private let store: ActivityStore
    private let fanOut: FanOutLoops
    private let publisher: MatchPublisher
    private let matchHolds: MatchHolds
    private let pushes: PushesInFlight
    private let schedule: Schedule
    private let bundleID: String
    /// Seconds for which a card stays on the Lock Screen after its end.
    private let dismissAfter: Int
    private let logger: Logger
    private var ends = Ends()
    /// More ends may be due than the last claim had room for.
    private var hasMore = false

    init(
        store: ActivityStore, fanOut: FanOutLoops, publisher: MatchPublisher, matchHolds: MatchHolds,
        pushes: PushesInFlight,
        schedule: Schedule, configuration: LACoordinatorConfiguration, logger: Logger
    ) {
        self.store = store
        self.fanOut = fanOut
        self.publisher = publisher
        self.matchHolds = matchHolds
        self.pushes = pushes
        self.schedule = schedule
        bundleID = configuration.apns.bundleID
        dismissAfter = Int(configuration.dismissAfter.components.seconds)
        self.logger = logger
    }

    /// Sends the ends that are due in these shards. The end of a match makes a million due: further claims do not wait
    /// for the next full reading, only for room to send as many as one statement claims.
    func send(_ held: [Int: HeldShard]) async throws {
        guard !held.isEmpty, pushes.room > 0 else { return }
        let room = min(pushes.room, ActivityStore.claimMax)
        let claims = try await store.claimEnds(held.values.map(\.lease), limit: room)
        hasMore = claims.count == room
        // The claims are entered first, because the last answer to an update may come before the result of `remove`.
        for claim in claims { ends.waiting[claim.key.matchID, default: [:]][RosterKey(claim.key)] = claim }
        let places = claims.map { RosterPlace($0.key, shard: $0.shard) }
        let inFlight = await fanOut.remove(places)
        for (claim, place) in zip(claims, places) where !inFlight.contains(place) {
            // An end waits for updates in flight, because one that is delivered later would follow it.
            guard ends.remove(claim.key.matchID, RosterKey(claim.key)) != nil, let shard = held[claim.shard] else {
                continue
            }
            send(claim, shard.trust)
        }
        claimMore()
    }

    /// Releases the claim of an end whose activity has no update in flight any more. The end is not sent under this
    /// claim: its token may have moved to another owner meanwhile, whose activity it would end. It is claimed anew if
    /// it is still due.
    func release(_ match: MatchID, _ key: RosterKey) async {
        if let claim = ends.remove(match, key) { await release(claim) }
    }

    private func claimMore() {
        guard hasMore, pushes.room >= ActivityStore.claimMax else { return }
        hasMore = false
        schedule.readActivities()
    }

    private func release(_ claim: EndClaim) async {
        // When the release fails, the claim's lease expires instead.
        do { try await store.releaseEnd(claim) } catch {
            logger.warning("An end could not be given back", metadata: ["error": "\(error)"])
        }
        schedule.readActivities()
    }

    private func send(_ claim: EndClaim, _ trust: ShardTrust) {
        let gate = PushGate(trust, matchHolds.hold(of: claim.key.matchID))
        pushes.begin()
        Task {
            var result = PushResult.refused
            do {
                result = await fanOut.push(try await push(claim, gate), shard: claim.shard, to: claim.environment)
            } catch {
                logger.warning("An end could not be made", metadata: ["error": "\(error)"])
            }
            if case .onHold = result {
                pushes.end()
                await release(claim)
            } else {
                ends.results.append((claim, Self.result(attempt: claim.attempt, result)))
                if !ends.isNoting { await note() }
            }
        }
    }

    private func push(_ claim: EndClaim, _ gate: PushGate) async throws -> OneShot {
        // A push that went to the phone after the claim carried a version or a stamp that this process knows by now.
        let newest = await publisher.newest(of: claim.key.matchID)
        let stamp = Self.stamp(claim, newest.stamp)
        let content = newest.update.flatMap { $0.stamp > claim.stamp ? $0.contentState : nil } ?? claim.contentState
        let payload = try LiveActivityPayload.end(
            stamp: stamp, contentState: content ?? .nothingToShow,
            dismissAt: stamp.rawValue + (claim.lingers ? dismissAfter : -60)
        ).encode()
        let path = APNsHeaders.path(token: claim.token)
        return OneShot(
            kind: .end, path: path, headers: .end(bundleID: bundleID, at: stamp.rawValue),
            body: HTTP2SharedBody(payload.bytes),
            // Whether a token that is to end was ever accepted is not known.
            target: PushTarget(path: path, user: claim.key.userID, isProven: false), gate: gate,
            ended: EndedToken(user: claim.key.userID, token: claim.token))
    }

    /// The stamp of an end: later than everything its phone was sent, and not older than the claim. Nothing follows an
    /// end, so it needs no stamp from the match's row.
    private static func stamp(_ claim: EndClaim, _ newest: Stamp?) -> Stamp {
        Stamp(max(max(claim.stamp, newest ?? claim.stamp).rawValue + 1, claim.now))
    }

    /// Records the outcomes of ends, all that have accumulated since the last write: the ends of a finished match
    /// finish by the thousand. Until its outcome is written an end counts as in flight.
    private func note() async {
        ends.isNoting = true
        while !ends.results.isEmpty {
            let results = ends.results
            ends.results = []
            do { try await store.finishEnds(results) } catch {
                // The claims' leases expire, and these ends are sent again.
                logger.warning(
                    "Answers to ends could not be noted", metadata: ["ends": "\(results.count)", "error": "\(error)"])
            }
            pushes.end(results.count)
            claimMore()
        }
        ends.isNoting = false
    }

    static func result(attempt: Int, _ result: PushResult) -> ActivityStore.EndResult {
        let later = Duration.seconds(min(900, 1 << min(attempt, 9)))
        switch result {
        case .refused, .withdrawn, .onHold: return .retry(after: .milliseconds(300))
        case .unknown: return .retry(after: later)
        case .stopped: return .retry(after: .seconds(30))
        case .answered(let answer):
            switch answer.action {
            case .accepted: return .sent
            case .tokenDead, .tokenUnknown, .ourBug, .rebuildSmaller, .channelGone, .channelsFull, .broadcastOff:
                return .dropped
            case .refreshProviderToken, .reconnect, .connectForKey: return .retry(after: .seconds(1))
            case .backOffToken, .freezeProviderToken, .retryLater:
                return .retry(after: max(later, .seconds(min(answer.retryAfter ?? 0, 900))))
            case .tokenNotForTopic: return .retry(after: max(later, .seconds(60)))
            case .stopTopic, .stopSending, .keyRevoked: return .retry(after: .seconds(60))
            }
        }
    }
}

extension ContentState {
    /// The content of an end for a match of which nothing is known any more.
    static let nothingToShow = ContentState(
        version: 0, matchDisplayState: .completed, matchSentiment: .neutral,
        compactLeading: .init(teamAbbr: "", score: ""), compactTrailing: .init(overs: "", runRate: ""), minimal: nil,
        expanded: .init(
            title: "", subtitle: "", innings: [], batters: [], bowler: nil, recentBalls: [], target: nil,
            requiredRunRate: nil, equation: nil, lastEvent: nil, status: nil))
}
