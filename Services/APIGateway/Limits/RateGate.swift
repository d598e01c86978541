import Metrics
import ServiceKit
import SightscreenModels
import Tokens

/// Applies the limits of `RateLimit`, times the operator's factor, by this gateway's clock.
struct RateGate: Sendable {
    let limiter: RateLimiter
    /// `RATE_LIMIT_FACTOR`: 1 applies `RateLimit` as it is, 0 applies no limit.
    let factor: Int
    let blocked: BlockedAccounts
    var now: @Sendable () -> Int64 = RateGate.monotonic

    /// Starts the counters of refusals at 0, so that an alert on their increase sees the first refusal, too.
    static func beginCounters() { for name in RateLimit.Name.allCases { refused(name).increment(by: 0) } }

    private static func refused(_ name: RateLimit.Name) -> Counter {
        Counter(label: "sightscreen_http_limited_total", dimensions: [("limit", name.rawValue)])
    }

    private static let begun = ContinuousClock.now

    private static func monotonic() -> Int64 { (ContinuousClock.now - begun).nanoseconds }

    /// Counts a bad token of an address. Good tokens are always let in, however many bad ones come from the same
    /// address: a client cannot lock out the others behind it.
    func admitBadToken(_ address: ClientAddress) throws { try admit(.failedTokens, address.network) }

    /// Checks the limit on wrong administrators' keys, before the key is compared. Over the limit even the right key is
    /// refused; otherwise the limit would only hide answers, and guessing could go on.
    func admitGuess(_ address: ClientAddress) throws {
        guard factor > 0 else { return }
        try refuse(limiter.check(guesses(of: address), now: now()))
    }

    /// Counts a wrong administrators' key.
    func noteWrongKey(_ address: ClientAddress) {
        guard factor > 0 else { return }
        limiter.note(guesses(of: address), now: now())
    }

    private func guesses(of address: ClientAddress) -> RateCharge {
        RateCharge(.failedAdminKeys.times(factor), address.network)
    }

    /// Admits a call that does not say who makes it: to an unknown path, without a token, or with one that has expired.
    func admitUnidentified(_ address: ClientAddress) throws { try admit(.unidentified, address.network) }

    /// Admits a public call.
    func admit(_ address: ClientAddress) throws { try admit(.publicCalls, address.network) }
    /// Admits a call of a known caller.
    func admit(_ group: RateGroup, _ caller: Caller) throws {
        guard case .user(let claims) = caller else { return try admit(.administration, "key") }
        switch group {
        case .reads, .open: try admit(.reads, claims.sub)
        case .follows: try admit(.follows, claims.sub)
        case .registrations: try admit(.userRegistrations, claims.sub)
        case .privacy: try admit(.account, claims.sub)
        case .admin: try admit(.administration, claims.sub)
        }
    }

    /// Admits a registration of one phone, beside the user's own limit. A user's registrations that name no phone share
    /// one bucket.
    func admit(device: DeviceID?, of caller: Caller?) throws {
        guard case .user(let claims)? = caller else { return }
        try admit(.deviceRegistrations, [claims.sub, device?.rawValue])
    }

    /// Refuses to register a token for a user too many of whose tokens APNs called bad.
    func checkBadTokens(of caller: Caller?) throws {
        guard factor > 0, case .user(let claims)? = caller, let seconds = blocked.wait(UserID(claims.sub))
        else { return }
        try refuse(.refused(retryAfter: seconds, by: .badTokens))
    }

    /// Refuses a user too many of whose reports of activity tokens were refused, before another report is looked at.
    func checkRefusedRegistrations(of caller: Caller?) throws {
        guard factor > 0, case .user(let claims)? = caller else { return }
        try refuse(limiter.check(RateCharge(RateLimit.refusedRegistrations.times(factor), claims.sub), now: now()))
    }

    /// Counts a report of an activity token that was refused.
    func noteRefusedRegistration(of caller: Caller?) {
        guard factor > 0, case .user(let claims)? = caller else { return }
        limiter.note(RateCharge(RateLimit.refusedRegistrations.times(factor), claims.sub), now: now())
    }

    private func admit(_ limit: RateLimit, _ caller: some Hashable) throws {
        guard factor > 0 else { return }
        try refuse(limiter.admit(RateCharge(limit.times(factor), caller), now: now()))
    }

    private func refuse(_ outcome: RateOutcome) throws {
        guard case .refused(let seconds, let limit) = outcome else { return }
        Self.refused(limit).increment()
        throw Problem(
            .rateLimited, "try again after the seconds of Retry-After", headers: ["Retry-After": String(seconds)])
    }
}
