#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
import SightscreenModels
import Synchronization

/// Answers the app's calls on the phone itself, from canned answers: for tests and previews of an app, and for its debug
/// builds. It remembers what is followed, and nothing else. Its matches are `SampleMatches`.
public final class CannedTransport: APITransport {
    private let clock: any ClientClock
    private let scenario: @Sendable () -> CannedScenario
    private let followed = Mutex<Set<MatchID>>([])

    public convenience init(clock: any ClientClock, scenario: CannedScenario = .liveMatch) {
        self.init(clock: clock) { scenario }
    }

    /// - Parameter scenario: asked with each call.
    public init(clock: any ClientClock, scenario: @escaping @Sendable () -> CannedScenario) {
        self.clock = clock
        self.scenario = scenario
    }

    public func send(_ request: APIRequest) async throws(TransportError) -> APIResponse {
        if Task.isCancelled { throw .cancelled }
        let scenario = scenario()
        switch scenario {
        case .offline: throw .offline
        case .outage: return problem(503, "unavailable", retryAfter: 5)
        default: return answer(request, scenario)
        }
    }

    private func answer(_ request: APIRequest, _ scenario: CannedScenario) -> APIResponse {
        let parts = request.path.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let path = parts[0].split(separator: "/").map { String($0) }
        let query = parts.count > 1 ? String(parts[1]) : ""
        switch (request.method, path.first, path.dropFirst().first, path.count) {
        case ("GET", "app", "config", 2): return json(config(scenario))
        case ("GET", "matches", nil, 1): return json(schedule(query, scenario))
        case ("GET", "matches", "live", 2):
            return json(LiveMatchesResponse(matches: live(scenario), retryAfterMs: interval(scenario)))
        case ("GET", "matches", let id?, 2): return match(id, scenario)
        case ("POST", "matches", let id?, 3): return post(path[2], id, scenario)
        case ("GET", "user", "follows", 2): return json(follows())
        case ("POST", "devices", _, _):
            return json(DeviceResponse(deviceId: DeviceID("canned"), liveActivitiesCapable: true))
        case ("DELETE", "devices", _, 2): return APIResponse(status: 204)
        default: return problem(404, "not-found")
        }
    }

    // MARK: - Matches

    private func matches(_ scenario: CannedScenario) -> [MatchItem] {
        scenario == .nothingOn ? [] : SampleMatches.all(now: clock.now, isClose: scenario == .closeFinish)
    }

    private func live(_ scenario: CannedScenario) -> [MatchItem] { matches(scenario).filter { $0.status == .live } }

    /// As the gateway's.
    private func interval(_ scenario: CannedScenario) -> Int {
        switch scenario {
        case .nothingOn: 30_000
        case .closeFinish: 2_000
        default: 5_000
        }
    }

    private func schedule(_ query: String, _ scenario: CannedScenario) -> MatchesResponse {
        let date = query.split(separator: "&").first { $0.hasPrefix("date=") }.map { String($0.dropFirst(5)) }
        let day = date.flatMap { UTCDay($0) }
        let found = matches(scenario).filter { match in
            day == nil || match.startsAt.map { UTCDay(at: $0) } == day
        }
        let isLive = found.contains { $0.status == .live }
        return MatchesResponse(matches: found, nextCursor: nil, retryAfterMs: isLive ? interval(scenario) : 30_000)
    }

    private func match(_ id: String, _ scenario: CannedScenario) -> APIResponse {
        matches(scenario).first { $0.id.description == id }.map { json($0) } ?? problem(404, "unknown-match")
    }

    private func post(_ call: String, _ id: String, _ scenario: CannedScenario) -> APIResponse {
        guard let match = matches(scenario).first(where: { $0.id.description == id }) else {
            return problem(404, "unknown-match")
        }
        let outlook: LiveActivityOutlook =
            switch match.status {
            case .upcoming: .scheduled
            case .live: .starting
            case .completed: .ended
            }
        switch call {
        case "follow":
            followed.withLock { _ = $0.insert(match.id) }
            return json(FollowResponse(following: true, displayState: match.displayState, liveActivity: outlook))
        case "unfollow", "activity-dismissed":
            followed.withLock { _ = $0.remove(match.id) }
            return json(UnfollowResponse(following: false))
        case "activity-token":
            return json(ActivityTokenResponse(liveActivity: .active, displayState: match.displayState))
        default: return problem(404, "not-found")
        }
    }

    private func follows() -> FollowsResponse {
        FollowsResponse(
            follows: followed.withLock { $0 }.sorted().map {
                FollowItem(matchId: $0, teamId: nil, alerts: .all, followedAt: clock.now, expiresAt: nil)
            })
    }

    private func config(_ scenario: CannedScenario) -> AppConfig {
        AppConfig(
            minAppVersion: scenario == .updateRequired ? "999.0" : "1.0",
            storeUrl: "https://apps.apple.com/app/sightscreen",
            maintenanceMode: scenario == .maintenance,
            maintenanceMessage: scenario == .maintenance ? "Back at 10." : nil,
            updateRequired: scenario == .updateRequired)
    }

    // MARK: -

    private func json(_ value: some Encodable) -> APIResponse {
        guard let data = try? JSONEncoder().encode(value) else { return problem(500, "internal-error") }
        return APIResponse(status: 200, headers: ["content-type": "application/json"], body: [UInt8](data))
    }

    private func problem(_ status: Int, _ kind: String, retryAfter: Int? = nil) -> APIResponse {
        let document = ProblemDocument(
            type: "/problems/\(kind)", title: kind, status: status, requestId: "canned")
        var headers = ["content-type": "application/problem+json"]
        if let retryAfter { headers["retry-after"] = String(retryAfter) }
        return APIResponse(
            status: status, headers: headers,
            body: (try? JSONEncoder().encode(document)).map { [UInt8]($0) } ?? [])
    }
}
