/// One request of one caller, counted against one limit.
///
/// The caller is kept only as a hash of 64 bits under this process's own seed: no outsider can make two callers share a
/// bucket, and with 200,000 buckets the odds that any two do are one in a thousand million.
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
}
