import Metrics
import Sightscreen
import Tokens

/// Says who may come in now: the limits of `RateLimit`, times the operator's factor, against this gateway's clock.
struct RateGate: Sendable {
    let limiter: RateLimiter
    /// `RATE_LIMIT_FACTOR`: 1 is as `RateLimit` says, 0 lets everybody in.
    let factor: Int
    var now: @Sendable () -> Int64 = RateGate.monotonic

    private static let begun = ContinuousClock.now

    private static func monotonic() -> Int64 {
        let (seconds, attoseconds) = (ContinuousClock.now - begun).components
        return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
    }

    /// Before credentials are looked at: whether their sender has shown too many bad ones.
    func admitCredentials(_ address: ClientAddress, isKey: Bool) throws {
        try check(isKey ? RateLimit.failedAdminKeys : RateLimit.failedTokens, address.network)
    }

    /// Bad ones were shown.
    func noteBadCredentials(_ address: ClientAddress, isKey: Bool) {
        guard factor > 0 else { return }
        let limit = isKey ? RateLimit.failedAdminKeys : RateLimit.failedTokens
        limiter.note(RateCharge(limit.times(factor), address.network), now: now())
    }

    /// A call is about to be made.
    func admit(_ group: RateGroup, _ caller: Caller?, _ address: ClientAddress, device: DeviceID?) throws {
        guard factor > 0 else { return }
        try refuse(limiter.admit(charges(group, caller, address, device), now: now()))
    }

    private func charges(
        _ group: RateGroup, _ caller: Caller?, _ address: ClientAddress, _ device: DeviceID?
    ) -> [RateCharge] {
        guard let caller else { return [charge(.publicCalls, address.network)] }
        guard case .user(let claims) = caller else { return [charge(.administration, "key")] }
        switch group {
        case .open: return [charge(.publicCalls, address.network)]
        case .reads: return [charge(.reads, claims.sub)]
        case .follows: return [charge(.follows, claims.sub)]
        case .registrations:
            return [
                charge(.deviceRegistrations, [claims.sub, device?.rawValue]), charge(.userRegistrations, claims.sub),
            ]
        case .privacy: return [charge(.account, claims.sub)]
        case .admin: return [charge(.administration, claims.sub)]
        }
    }

    private func charge(_ limit: RateLimit, _ caller: some Hashable) -> RateCharge {
        RateCharge(limit.times(factor), caller)
    }

    private func check(_ limit: RateLimit, _ caller: some Hashable) throws {
        guard factor > 0 else { return }
        try refuse(limiter.check(charge(limit, caller), now: now()))
    }

    private func refuse(_ verdict: RateVerdict) throws {
        guard case .refused(let seconds, let limit) = verdict else { return }
        Counter(label: "sightscreen_http_limited_total", dimensions: [("limit", limit.rawValue)]).increment()
        throw Problem(
            .rateLimited, "try again after the seconds of Retry-After", headers: ["Retry-After": String(seconds)])
    }
}
