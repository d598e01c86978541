import Sightscreen

/// One request counted against one limit, for one caller.
///
/// Of the caller only a hash is kept, 64 bits under a seed of this process's own: nobody outside can make two callers share
/// a bucket, and with 200,000 buckets the odds that any two do are one in a thousand million.
struct RateCharge: Hashable, Sendable {
    let limit: RateLimit
    let key: UInt64

    init(_ limit: RateLimit, _ caller: some Hashable) {
        self.limit = limit
        var hasher = Hasher()
        hasher.combine(limit.name)
        hasher.combine(caller)
        key = UInt64(bitPattern: Int64(hasher.finalize()))
    }

    /// Follow, change, unfollow.
    static func follow(_ user: UserID) -> RateCharge { RateCharge(.follows, user) }

    /// Devices, tokens, dismissals: both limits. Requests that name no phone count as one more phone.
    static func registration(_ user: UserID, _ device: DeviceID?) -> [RateCharge] {
        [RateCharge(.deviceRegistrations, [user.rawValue, device?.rawValue]), RateCharge(.userRegistrations, user)]
    }

    static func read(_ user: UserID) -> RateCharge { RateCharge(.reads, user) }

    /// Export and deletion.
    static func account(_ user: UserID) -> RateCharge { RateCharge(.account, user) }

    /// - Parameter address: of the client; networks that one customer has whole count as one.
    static func publicCall(_ address: some Hashable) -> RateCharge { RateCharge(.publicCalls, address) }
    static func failedToken(_ address: some Hashable) -> RateCharge { RateCharge(.failedTokens, address) }
    static func failedAdminKey(_ address: some Hashable) -> RateCharge { RateCharge(.failedAdminKeys, address) }
}
