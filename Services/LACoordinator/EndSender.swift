import Messages
import APNsProtocol
import Activities
import FanOut
import HTTP2
import Logging
import SightscreenModels

/// Claims the ends that are due, and sends each when nothing else is under way to its token.
actor EndSender {
    /// What becomes of the ends that were claimed.
    private struct Ends {
        /// Those that wait until no update to their activity is under way.
        var waiting: [MatchID: [RosterKey: EndClaim]] = [:]
        /// What became of others, until it is noted.
        var results: [(claim: EndClaim, result: ActivityStore.EndResult)] = []
        var isNoting = false

        mutating func take(_ match: MatchID, _ key: RosterKey) -> EndClaim? {
            defer { if waiting[match]?.isEmpty == true { waiting[match] = nil } }
            return waiting[match]?.removeValue(forKey: key)
        }
    }

    private let store: ActivityStore
    private let fanOut: FanOutLoops
    private let publisher: MatchPublisher
    private let brakes: Brakes
    private let pushes: PushesUnderWay
    private let schedule: Schedule
    private let bundleID: String
    /// Seconds that a card stays.
    private let dismissAfter: Int
    private let logger: Logger
    private var ends = Ends()
    /// More are due than could be claimed.
    private var areLeft = false

    init(
        store: ActivityStore, fanOut: FanOutLoops, publisher: MatchPublisher, brakes: Brakes, pushes: PushesUnderWay,
        schedule: Schedule, configuration: LACoordinatorConfiguration, logger: Logger
    ) {
        self.store = store
        self.fanOut = fanOut
        self.publisher = publisher
        self.brakes = brakes
        self.pushes = pushes
        self.schedule = schedule
        bundleID = configuration.apns.bundleID
        dismissAfter = Int(configuration.dismissAfter.components.seconds)
        self.logger = logger
    }

    /// Sends what is due in these shards. When a match is over a million ends are due: the next ones do not wait for the next look at
    /// the tables, but for room to send as many as one statement claims.
    func send(_ held: [Int: HeldShard]) async throws {
        guard !held.isEmpty, pushes.room > 0 else { return }
        let room = min(pushes.room, ActivityStore.claimMax)
        let claims = try await store.claimEnds(held.values.map(\.hold), limit: room)
        areLeft = claims.count == room
        // First, since the answer that one may have to wait for can come before ours.
        for claim in claims { ends.waiting[claim.key.matchID, default: [:]][RosterKey(claim.key)] = claim }
        let places = claims.map { RosterPlace($0.key, shard: $0.shard) }
        let underWay = await fanOut.remove(places)
        for (claim, place) in zip(claims, places) where !underWay.contains(place) {
            // An update that overtakes the end would come after it.
            guard ends.take(claim.key.matchID, RosterKey(claim.key)) != nil, let shard = held[claim.shard] else {
                continue
            }
            send(claim, shard.trust)
        }
        claimMore()
    }

    /// No update to an activity is under way any more. An end that had to wait for that is not sent as it is: meanwhile its token may
    /// have got another owner, whose activity it would end. It is claimed anew if it is still owed.
    func release(_ match: MatchID, _ key: RosterKey) async {
        if let claim = ends.take(match, key) { await giveBack(claim) }
    }

    private func claimMore() {
        guard areLeft, pushes.room >= ActivityStore.claimMax else { return }
        areLeft = false
        schedule.readActivities()
    }

    private func giveBack(_ claim: EndClaim) async {
        // Not noted: its lease passes.
        do { try await store.releaseEnd(claim) } catch {
            logger.warning("An end could not be given back", metadata: ["error": "\(error)"])
        }
        schedule.readActivities()
    }

    private func send(_ claim: EndClaim, _ trust: ShardTrust) {
        let gate = PushGate(trust, brakes.brake(of: claim.key.matchID))
        pushes.begin()
        Task {
            var result = PushResult.refused
            do {
                result = await fanOut.push(try await push(claim, gate), shard: claim.shard, to: claim.environment)
            } catch {
                logger.warning("An end could not be made", metadata: ["error": "\(error)"])
            }
            if case .braked = result {
                pushes.end()
                await giveBack(claim)
            } else {
                ends.results.append((claim, Self.result(attempt: claim.attempt, result)))
                if !ends.isNoting { await note() }
            }
        }
    }

    private func push(_ claim: EndClaim, _ gate: PushGate) async throws -> OneShot {
        // What went to the phone after the claim was of a version or a stamp that came here meanwhile.
        let newest = await publisher.newest(of: claim.key.matchID)
        let stamp = Self.stamp(claim, newest.stamp)
        let content = newest.update.flatMap { $0.stamp > claim.stamp ? $0.contentState : nil } ?? claim.contentState
        let payload = try LiveActivityPayload.end(
            stamp: stamp, contentState: content ?? Self.nothingToShow,
            dismissAt: stamp.rawValue + (claim.lingers ? dismissAfter : -60)
        ).encode()
        return OneShot(
            kind: .end, path: APNsHeaders.path(token: claim.token),
            headers: .end(bundleID: bundleID, at: stamp.rawValue), body: HTTP2SharedBody(payload.bytes), gate: gate)
    }

    /// Later than whatever its phone was sent, and of now: nothing comes after an end, so that it needs no stamp of its own
    /// from the match's row.
    private static func stamp(_ claim: EndClaim, _ newest: Stamp?) -> Stamp {
        Stamp(max(max(claim.stamp, newest ?? claim.stamp).rawValue + 1, claim.now))
    }

    /// Writes down what became of ends, all that have come together since the last time: those of a match that is over come
    /// by the thousand. Until then they count as under way.
    private func note() async {
        ends.isNoting = true
        while !ends.results.isEmpty {
            let results = ends.results
            ends.results = []
            do { try await store.finishEnds(results) } catch {
                // Their leases pass, and they are sent again.
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
        case .refused, .withdrawn, .braked: return .again(after: .milliseconds(300))
        case .unknown: return .again(after: later)
        case .held: return .again(after: .seconds(30))
        case .answered(let answer):
            switch answer.action {
            case .accepted: return .sent
            case .tokenDead, .tokenUnknown, .ourBug, .rebuildSmaller: return .dropped
            case .refreshProviderToken, .reconnect, .connectForKey: return .again(after: .seconds(1))
            case .backOffToken, .freezeProviderToken, .retryLater:
                return .again(after: max(later, .seconds(min(answer.retryAfter ?? 0, 900))))
            case .stopTopic, .stopSending, .keyRevoked: return .again(after: .seconds(60))
            }
        }
    }

    /// For an activity of a match of which nothing is known any more.
    private static let nothingToShow = ContentState(
        version: 0, matchDisplayState: .completed, matchSentiment: .neutral,
        compactLeading: .init(teamAbbr: "", score: ""), compactTrailing: .init(overs: "", runRate: ""), minimal: nil,
        expanded: .init(
            title: "", subtitle: "", innings: [], batters: [], bowler: nil, recentBalls: [], target: nil,
            requiredRunRate: nil, equation: nil, lastEvent: nil, status: nil))
}
