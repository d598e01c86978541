import APNsProtocol
import HTTP2
import Logging
import Messages
import SightscreenModels
import Store

extension LACoordinator {
    /// Claims the ends that are due, and sends each when nothing else is under way to its token.
    func sendEnds() async throws {
        guard !holds.isEmpty, pushes < Self.pushesMax else { return }
        let room = min(Self.pushesMax - pushes, ActivityStore.claimMax)
        let claims = try await store.claimEnds(Array(holds.values), limit: room)
        endsAreLeft = claims.count == room
        // First, since the answer that one may have to wait for can come before ours.
        for claim in claims { endsWaiting[claim.key.matchID, default: [:]][RosterKey(claim.key)] = claim }
        let underWay = await fanOut.remove(claims.map { RosterPlace($0.key, shard: $0.shard) })
        for claim in claims where !underWay.contains(RosterKey(claim.key)) {
            // An update that overtakes the end would come after it.
            if takeWaiting(claim.key.matchID, RosterKey(claim.key)) != nil { sendEnd(claim) }
        }
        claimMoreEnds()
    }

    /// When a match is over a million ends are due: the next ones do not wait for the next look at the tables, but for room
    /// to send as many as one statement claims.
    private func claimMoreEnds() {
        guard endsAreLeft, Self.pushesMax - pushes >= ActivityStore.claimMax else { return }
        endsAreLeft = false
        activitiesChanged()
    }

    private func takeWaiting(_ match: MatchID, _ key: RosterKey) -> EndClaim? {
        defer { if endsWaiting[match]?.isEmpty == true { endsWaiting[match] = nil } }
        return endsWaiting[match]?.removeValue(forKey: key)
    }

    /// No update to an activity is under way any more.
    func release(_ match: MatchID, _ key: RosterKey) {
        if let claim = takeWaiting(match, key) { releaseWaiting(claim) }
    }

    /// An end that had to wait is not sent as it is: meanwhile its token may have got another owner, whose activity it would
    /// end. It is claimed anew if it is still owed.
    private func releaseWaiting(_ claim: EndClaim) {
        Task {
            await giveBack(claim)
            activitiesChanged()
        }
    }

    private func giveBack(_ claim: EndClaim) async {
        // Not noted: its lease passes.
        do { try await store.releaseEnd(claim) } catch {
            logger.warning("An end could not be given back", metadata: ["error": "\(error)"])
        }
    }

    func sendEnd(_ claim: EndClaim) {
        guard let trust = trust(of: claim.shard) else { return releaseWaiting(claim) }
        let gate = PushGate(trust, brakes.brake(of: claim.key.matchID))
        pushes += 1
        Task {
            var result = PushResult.refused
            do {
                let stamp = endStamp(claim)
                let dismissAt =
                    claim.lingers
                    ? stamp.rawValue + Int(configuration.dismissAfter.components.seconds) : stamp.rawValue - 60
                let payload = try LiveActivityPayload.end(
                    stamp: stamp, contentState: endContent(claim), dismissAt: dismissAt
                ).encode()
                result = await fanOut.push(
                    OneShot(
                        kind: .end, path: APNsHeaders.path(token: claim.token),
                        headers: .end(bundleID: configuration.apns.bundleID, at: stamp.rawValue),
                        body: HTTP2SharedBody(payload.bytes), gate: gate), shard: claim.shard, to: claim.environment)
            } catch {
                logger.warning("An end could not be made", metadata: ["error": "\(error)"])
            }
            if case .braked = result {
                pushes -= 1
                await giveBack(claim)
            } else {
                endResults.append((claim, Self.endResult(attempt: claim.attempt, result)))
                if !isNotingEnds { await noteEnds() }
            }
        }
    }

    /// Writes down what became of ends, all that have come together since the last time: those of a match that is over come
    /// by the thousand. Until then they count as under way.
    private func noteEnds() async {
        isNotingEnds = true
        while !endResults.isEmpty {
            let results = endResults
            endResults = []
            do { try await store.finishEnds(results) } catch {
                // Their leases pass, and they are sent again.
                logger.warning(
                    "Answers to ends could not be noted", metadata: ["ends": "\(results.count)", "error": "\(error)"])
            }
            pushes -= results.count
            claimMoreEnds()
        }
        isNotingEnds = false
    }

    /// Later than whatever its phone was sent, and of now: nothing comes after an end, so that it needs no stamp of its own
    /// from the match's row.
    private func endStamp(_ claim: EndClaim) -> Stamp {
        // What went to the phone after the claim was of a version or a stamp that came here meanwhile.
        let match = matches[claim.key.matchID]
        let newest = [claim.stamp, match?.update?.stamp, match?.fresh?.stamp].compactMap { $0 }.max() ?? claim.stamp
        return Stamp(max(newest.rawValue + 1, claim.now))
    }

    /// The newest content: a version that came here since the claim may be on the phone already.
    private func endContent(_ claim: EndClaim) -> ContentState {
        if let update = matches[claim.key.matchID]?.update, update.stamp > claim.stamp { return update.contentState }
        return claim.contentState ?? Self.nothingToShow
    }

    static func endResult(attempt: Int, _ result: PushResult) -> ActivityStore.EndResult {
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
