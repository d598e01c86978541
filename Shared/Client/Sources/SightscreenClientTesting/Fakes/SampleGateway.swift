public import SightscreenClient
import SightscreenModels
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A gateway for tests and previews of an app. Its matches are `SampleMatches`, one of each status; it stores the
/// follows and nothing else. It needs no network.
public final class SampleGateway: APITransport {
    private let clock: any ClientClock
    private let followed = Mutex<Set<MatchID>>([])

    public init(clock: any ClientClock) { self.clock = clock }

    public func send(_ request: APIRequest) async throws(TransportError) -> APIResponse {
        if Task.isCancelled { throw .cancelled }
        let parts = request.path.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let path = parts[0].split(separator: "/").map { String($0) }
        let query = parts.count > 1 ? String(parts[1]) : ""
        switch (request.method, path.first, path.dropFirst().first, path.count) {
        case ("GET", "app", "config", 2): return json(Self.config)
        case ("GET", "matches", nil, 1): return json(schedule(query))
        case ("GET", "matches", "live", 2):
            return json(
                LiveMatchesResponse(matches: matches.filter { $0.status == .live }, retryAfterMs: Self.pollIntervalMs))
        case ("GET", "matches", let id?, 2):
            return matches.first { $0.id.description == id }.map { json($0) } ?? problem(404, "unknown-match")
        case ("POST", "matches", let id?, 3): return post(path[2], id)
        case ("GET", "user", "follows", 2): return json(follows())
        case ("POST", "devices", _, _):
            return json(DeviceResponse(deviceId: DeviceID("sample"), liveActivitiesCapable: true))
        case ("DELETE", "devices", _, 2): return APIResponse(status: 204)
        case ("DELETE", "user", nil, 1):
            followed.withLock { $0 = [] }
            return APIResponse(status: 204)
        default: return problem(404, "not-found")
        }
    }

    /// The gateway's interval while a match is in play.
    private static let pollIntervalMs = 5_000

    private static let config = AppConfig(
        minAppVersion: "1.0", storeUrl: "https://apps.apple.com/app/sightscreen", maintenanceMode: false,
        maintenanceMessage: nil, updateRequired: false)

    private var matches: [MatchItem] { SampleMatches.all(now: clock.now) }

    private func schedule(_ query: String) -> MatchesResponse {
        let date = query.split(separator: "&").first { $0.hasPrefix("date=") }.map { String($0.dropFirst(5)) }
        let day = date.flatMap { UTCDay($0) }
        let found = matches.filter { match in day == nil || match.startsAt.map { UTCDay(at: $0) } == day }
        let isLive = found.contains { $0.status == .live }
        return MatchesResponse(matches: found, nextCursor: nil, retryAfterMs: isLive ? Self.pollIntervalMs : 30_000)
    }

    private func post(_ call: String, _ id: String) -> APIResponse {
        guard let match = matches.first(where: { $0.id.description == id }) else {
            return problem(404, "unknown-match")
        }
        let outlook: LiveActivityOutlook =
            switch match.status {
            case .upcoming, .other: .scheduled
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
        case "activity": return json(ActivityReportResponse(liveActivity: .active))
        default: return problem(404, "not-found")
        }
    }

    private func follows() -> FollowsResponse {
        FollowsResponse(
            follows: followed.withLock { $0 }.sorted().map {
                FollowItem(matchId: $0, teamId: nil, alerts: .all, followedAt: clock.now, expiresAt: nil)
            })
    }

    private func json(_ value: some Encodable) -> APIResponse {
        guard let data = try? JSONEncoder().encode(value) else { return problem(500, "internal-error") }
        return APIResponse(status: 200, headers: ["content-type": "application/json"], body: [UInt8](data))
    }

    private func problem(_ status: Int, _ kind: String) -> APIResponse {
        let document = ProblemDocument(
            type: "/problems/\(kind)", title: kind, status: status, requestId: "sample")
        return APIResponse(
            status: status, headers: ["content-type": "application/problem+json"],
            body: (try? JSONEncoder().encode(document)).map { [UInt8]($0) } ?? [])
    }
}
