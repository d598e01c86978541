/// How often one caller may do something: `burst` times at once, and then `perMinute` times a minute, evenly. A caller is
/// let in at most `burst + perMinute × minutes` times in any stretch of time.
///
/// The rule is GCRA: of each caller only one number is kept, the time at which the bucket is full again. Times are
/// nanoseconds of any clock that does not go back; the rule itself knows no clock.
///
/// Each gateway counts by itself: with n of them a caller gets n times as much at most, twice with two.
struct RateLimit: Hashable, Sendable {
    /// What a limit is for; also the value of a metric's label.
    enum Name: String, Hashable, Sendable, CaseIterable {
        case follows
        case deviceRegistrations = "device-registrations"
        case userRegistrations = "user-registrations"
        case refusedRegistrations = "refused-registrations"
        /// Not a rate of calls: see `BlockedAccounts`.
        case badTokens = "bad-tokens"
        case reads
        case account
        case publicCalls = "public-calls"
        case administration
        case unidentified
        case failedTokens = "failed-tokens"
        case failedAdminKeys = "failed-admin-keys"
    }

    /// What becomes of callers of whom nothing is remembered when there is no room to remember more.
    enum WhenFull: Hashable, Sendable {
        /// They are let in, and the bucket that would be full soonest is forgotten for them. Who fills the memory gains
        /// that some callers' buckets begin anew; for that he needs as many accounts or addresses as there is room for,
        /// each of which has a full bucket anyway.
        case letIn
        /// They are refused until there is room. Who fills the memory locks newcomers out of this limit's calls.
        case refuse
    }

    let name: Name
    let perMinute: Int
    let burst: Int
    let whenFull: WhenFull
    /// Of a limit on failures: so long a caller is refused who has used up the bucket; 0: until there is room in it again.
    let lockoutMinutes: Int
    /// Failures beyond the burst that were under way at the same time and are waited for all the same.
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
    /// The same for all phones of a user, whatever names they come under.
    static let userRegistrations = RateLimit(.userRegistrations, perMinute: 120)
    /// Activity tokens of which nothing came but a refusal or an end, or that took the place of another; per user. Each
    /// may cost a row and a push to whatever token was named, so those that were sent all at once are waited for
    /// afterwards, one by one: as many as a user can send in a minute.
    static let refusedRegistrations = RateLimit(.refusedRegistrations, perMinute: 5, debtMax: 115)
    /// Whatever only reads; per user.
    static let reads = RateLimit(.reads, perMinute: 300)
    /// Export and deletion, the most costly calls; per user.
    static let account = RateLimit(.account, perMinute: 5)
    /// Calls that need no token; per client address, behind which there may be a mobile network with thousands of phones.
    static let publicCalls = RateLimit(.publicCalls, perMinute: 6_000)
    /// An administrator, and all servers together.
    static let administration = RateLimit(.administration, perMinute: 600)
    /// Calls that say of nobody whose they are: to paths that do not exist, without a token, or with one that has expired; per
    /// client address. A phone that slept makes one of them.
    static let unidentified = RateLimit(.unidentified, perMinute: 600)
    /// Tokens that were refused; per client address. Whoever has used it up is refused before a signature is checked, and
    /// so is everybody behind the same address. When the memory is full it lets in: what a forgotten address gains is
    /// signatures checked, which cost some processor time and open nothing.
    static let failedTokens = RateLimit(.failedTokens, perMinute: 6_000)
    /// Administrators' keys that were wrong; per client address. Over the limit no key of that address is looked at for an
    /// hour, the right one neither. This one refuses when its memory is full: many addresses guessing at once must not get
    /// more guesses, and no user waits for an administrator's call.
    static let failedAdminKeys = RateLimit(.failedAdminKeys, perMinute: 10, whenFull: .refuse, lockoutMinutes: 60)

    static let all = [
        follows, deviceRegistrations, userRegistrations, refusedRegistrations, reads, account, publicCalls,
        administration, unidentified, failedTokens, failedAdminKeys,
    ]

    /// So many times as much; the rule for a setting of the operator's.
    func times(_ factor: Int) -> RateLimit {
        RateLimit(
            name, perMinute: perMinute * factor, burst: burst * factor, whenFull: whenFull,
            lockoutMinutes: lockoutMinutes, debtMax: debtMax * factor)
    }

    // MARK: - The rule

    /// Nanoseconds in which one more is allowed; rounded up, so that it is never sooner.
    var interval: Int64 { (60_000_000_000 + Int64(perMinute) - 1) / Int64(perMinute) }

    /// How long until one may come in; zero when one may now.
    /// - Parameter fullAt: when the bucket is full again; `now` or before: it is.
    func wait(_ fullAt: Int64, now: Int64) -> Int64 { max(0, max(fullAt, now) - now - interval * Int64(burst - 1)) }

    /// Lets one in, if there is room in the bucket.
    /// - Returns: how long until there is; zero when it was let in.
    func take(_ fullAt: inout Int64, now: Int64) -> Int64 {
        let wait = wait(fullAt, now: now)
        if wait == 0 { fullAt = max(fullAt, now) + interval }
        return wait
    }

    /// As if the last one let in had not come.
    func giveBack(_ fullAt: inout Int64) { fullAt -= interval }

    /// Counts one that cannot be refused any more, because it has happened. The bucket is empty at worst, and `debtMax`
    /// owed to it: what came in at the same time does not add up to a longer wait, and does not prolong a lockout.
    func note(_ fullAt: inout Int64, now: Int64) {
        if lockoutMinutes > 0, wait(fullAt, now: now) > 0 { return }
        fullAt = min(max(fullAt, now) + interval, now + interval * Int64(burst + debtMax))
        if lockoutMinutes > 0, wait(fullAt, now: now) > 0 {
            fullAt = now + interval * Int64(burst - 1) + Int64(lockoutMinutes) * 60_000_000_000
        }
    }
}
