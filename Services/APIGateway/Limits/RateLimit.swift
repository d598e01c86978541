/// The rate at which one caller may do something: `burst` times at once, and then `perMinute` times a minute, evenly.
/// A caller is let in at most `burst + perMinute × minutes` times in any stretch of time.
///
/// The rule is GCRA: it keeps one number for each caller, the time at which the bucket is full again. Times are
/// nanoseconds of any clock that does not go back; the rule itself knows no clock.
///
/// Each gateway counts by itself, so with n gateways a caller gets at most n times as much.
struct RateLimit: Hashable, Sendable {
    /// The purpose of a limit; also the value of a metric's label.
    enum Name: String, Hashable, Sendable, CaseIterable {
        case follows
        case deviceRegistrations = "device-registrations"
        case userRegistrations = "user-registrations"
        case refusedRegistrations = "refused-registrations"
        /// A limit on the outcome of registrations, not on the rate of calls: see `BlockedAccounts`.
        case badTokens = "bad-tokens"
        case reads
        case account
        case publicCalls = "public-calls"
        case administration
        case unidentified
        case failedTokens = "failed-tokens"
        case failedAdminKeys = "failed-admin-keys"
    }
    /// The treatment of callers without a bucket when there is no room for another.
    enum WhenFull: Hashable, Sendable {
        /// They are let in, and the bucket that would be full soonest is forgotten for them. An attacker who fills the
        /// memory gains only that some callers' buckets begin anew, and needs for it as many accounts or addresses as
        /// there is room for, each of which has a full bucket anyway.
        case letIn
        /// They are refused until there is room. An attacker who fills the memory locks newcomers out of this limit's
        /// calls.
        case refuse
    }

    let name: Name
    let perMinute: Int
    let burst: Int
    let whenFull: WhenFull
    /// The minutes for which a caller who has used up a limit on failures is refused; 0: until there is room in the
    /// bucket again.
    let lockoutMinutes: Int
    /// The failures beyond the burst that still count when they were in flight at the same time.
    let debtMax: Int

    /// - Parameter burst: as many as in a minute, if not given.
    init(
        _ name: Name, perMinute: Int, burst: Int? = nil, whenFull: WhenFull = .letIn, lockoutMinutes: Int = 0,
        debtMax: Int = 0
    ) {
        precondition(perMinute > 0 && burst ?? 1 > 0, "a limit that lets nobody in")
        self.name = name
        self.perMinute = perMinute
        self.burst = burst ?? perMinute
        self.whenFull = whenFull
        self.lockoutMinutes = lockoutMinutes
        self.debtMax = debtMax
    }

    // MARK: - The limits

    /// Follow, change, unfollow; per user.
    static let follows = RateLimit(.follows, perMinute: 30)
    /// Devices, tokens, dismissals; per phone of a user.
    static let deviceRegistrations = RateLimit(.deviceRegistrations, perMinute: 60)
    /// The same limit over all phones of a user.
    static let userRegistrations = RateLimit(.userRegistrations, perMinute: 120)
    /// Activity tokens whose report led only to a refusal or an end, or which replaced another; per user. Each may cost
    /// a row and a push to whatever token was named. Reports sent all at once are waited for afterwards, one by one: up
    /// to 115 beyond the burst, as many as a user can send in a minute.
    static let refusedRegistrations = RateLimit(.refusedRegistrations, perMinute: 5, debtMax: 115)
    /// Calls that only read; per user.
    static let reads = RateLimit(.reads, perMinute: 300)
    /// Export and deletion, the most costly calls; per user.
    static let account = RateLimit(.account, perMinute: 5)
    /// Calls that need no token; per client address, behind which there may be a mobile network with thousands of
    /// phones.
    static let publicCalls = RateLimit(.publicCalls, perMinute: 6_000)
    /// Calls of one administrator, or of all servers together.
    static let administration = RateLimit(.administration, perMinute: 600)
    /// Calls that do not say who makes them: to paths that do not exist, without a token, or with one that has expired;
    /// per client address. A phone that slept makes one such call.
    static let unidentified = RateLimit(.unidentified, perMinute: 600)
    /// Tokens that were refused; per client address. Over the limit a bad token gets a 429 instead of a 401; good
    /// tokens of that address are still let in. When the memory is full callers are let in: a forgotten address gains
    /// only more 401s, and a bad token opens nothing.
    static let failedTokens = RateLimit(.failedTokens, perMinute: 6_000)
    /// Administrators' keys that were wrong; per client address. Over the limit no key of that address is looked at for
    /// an hour, not even the right one. This limit refuses when its memory is full: many addresses guessing at once
    /// must not get more guesses, and no user waits for an administrator's call.
    static let failedAdminKeys = RateLimit(.failedAdminKeys, perMinute: 10, whenFull: .refuse, lockoutMinutes: 60)

    static let all = [
        follows, deviceRegistrations, userRegistrations, refusedRegistrations, reads, account, publicCalls,
        administration, unidentified, failedTokens, failedAdminKeys,
    ]

    /// Returns the limit with everything that is counted multiplied by the operator's factor.
    func times(_ factor: Int) -> RateLimit {
        RateLimit(
            name, perMinute: perMinute * factor, burst: burst * factor, whenFull: whenFull,
            lockoutMinutes: lockoutMinutes, debtMax: debtMax * factor)
    }

    // MARK: - The rule

    /// The nanoseconds after which one more is allowed; rounded up, so that it is never sooner.
    var interval: Int64 { (60_000_000_000 + Int64(perMinute) - 1) / Int64(perMinute) }

    /// Returns the nanoseconds until one more may come in; zero if it may now.
    /// - Parameter fullAt: when the bucket is full again; `now` or earlier means that it is full.
    func wait(_ fullAt: Int64, now: Int64) -> Int64 { max(0, max(fullAt, now) - now - interval * Int64(burst - 1)) }

    /// Lets one in if there is room in the bucket.
    /// - Returns: the nanoseconds until there is room; zero if it was let in.
    func take(_ fullAt: inout Int64, now: Int64) -> Int64 {
        let wait = wait(fullAt, now: now)
        if wait == 0 { fullAt = max(fullAt, now) + interval }
        return wait
    }
    /// Undoes one `take`.
    func refund(_ fullAt: inout Int64) { fullAt -= interval }

    /// Counts one that has already happened and so cannot be refused. The bucket is empty at worst and owes `debtMax`:
    /// failures in flight at the same time do not add up to a longer wait, and do not prolong a lockout.
    func note(_ fullAt: inout Int64, now: Int64) {
        if lockoutMinutes > 0, wait(fullAt, now: now) > 0 { return }
        fullAt = min(max(fullAt, now) + interval, now + interval * Int64(burst + debtMax))
        if lockoutMinutes > 0, wait(fullAt, now: now) > 0 {
            fullAt = now + interval * Int64(burst - 1) + Int64(lockoutMinutes) * 60_000_000_000
        }
    }
}
