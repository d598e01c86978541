import Metrics
import ServiceKit
import SightscreenModels
import Tokens

/// Says who may come in now: the limits of `RateLimit`, times the operator's factor, against this gateway's clock.
struct RateGate: Sendable {
    let limiter: RateLimiter
    /// `RATE_LIMIT_FACTOR`: 1 is as `RateLimit` says, 0 lets everybody in.
    let factor: Int
    let blocked: BlockedAccounts
    var now: @Sendable () -> Int64 = RateGate.monotonic

    /// Counts what is refused from 0 on, so that an alert on what it grows by sees the first one, too.
    static func beginCounters() { for name in RateLimit.Name.allCases { refused(name).increment(by: 0) } }

    private static func refused(_ name: RateLimit.Name) -> Counter {
        Counter(label: "sightscreen_http_limited_total", dimensions: [("limit", name.rawValue)])
    }

    private static let begun = ContinuousClock.now

    private static func monotonic() -> Int64 { (ContinuousClock.now - begun).nanoseconds }

    /// A bad token was shown. Good ones are always let in, however many bad ones come from the same address: nobody can
    /// lock out the others behind it.
    func admitBadToken(_ address: ClientAddress) throws { try admit(.failedTokens, address.network) }

    /// An administrators' key is shown and not compared yet: over the limit not even the right one is let in, or the limit
    /// would hide answers and not hinder guesses.
    func admitGuess(_ address: ClientAddress) throws {
        guard factor > 0 else { return }
        try refuse(limiter.check(guesses(of: address), now: now()))
    }

    /// The key was wrong.
    func noteWrongKey(_ address: ClientAddress) {
        guard factor > 0 else { return }
        limiter.note(guesses(of: address), now: now())
    }

    private func guesses(of address: ClientAddress) -> RateCharge {
        RateCharge(.failedAdminKeys.times(factor), address.network)
    }

    /// A call that says of nobody whose it is: to no path there is, without a token, or with one that has expired.
    func admitUnidentified(_ address: ClientAddress) throws { try admit(.unidentified, address.network) }

    /// A public call.
    func admit(_ address: ClientAddress) throws { try admit(.publicCalls, address.network) }

    /// A call of somebody who is known.
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

    /// A registration of one phone of a user, beside what the user may do. Those that name no phone count as one more.
    func admit(device: DeviceID?, of caller: Caller?) throws {
        guard case .user(let claims)? = caller else { return }
        try admit(.deviceRegistrations, [claims.sub, device?.rawValue])
    }

    /// Refuses to register a token for a user of whose tokens APNs called too many bad.
    func checkBadTokens(of caller: Caller?) throws {
        guard factor > 0, case .user(let claims)? = caller, let seconds = blocked.wait(UserID(claims.sub))
        else { return }
        try refuse(.refused(retryAfter: seconds, by: .badTokens))
    }

    /// Refuses a user whose reports of activity tokens have come to nothing too often, before another is looked at.
    func checkRefusedRegistrations(of caller: Caller?) throws {
        guard factor > 0, case .user(let claims)? = caller else { return }
        try refuse(limiter.check(RateCharge(RateLimit.refusedRegistrations.times(factor), claims.sub), now: now()))
    }

    /// Counts a report of an activity token that came to nothing.
    func noteRefusedRegistration(of caller: Caller?) {
        guard factor > 0, case .user(let claims)? = caller else { return }
        limiter.note(RateCharge(RateLimit.refusedRegistrations.times(factor), claims.sub), now: now())
    }

    private func admit(_ limit: RateLimit, _ caller: some Hashable) throws {
        guard factor > 0 else { return }
        try refuse(limiter.admit(RateCharge(limit.times(factor), caller), now: now()))
    }

    private func refuse(_ verdict: RateVerdict) throws {
        guard case .refused(let seconds, let limit) = verdict else { return }
        Self.refused(limit).increment()
        throw Problem(
            .rateLimited, "try again after the seconds of Retry-After", headers: ["Retry-After": String(seconds)])
    }
}
