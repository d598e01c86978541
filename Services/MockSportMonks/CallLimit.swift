/// The provider's limit of calls per endpoint and hour; an hour begins with the first call.
struct CallLimit: Sendable {
    static let hour = 3_600.0

    /// The calls an hour; 0 for no limit.
    let calls: Int
    private var spans: [ProviderEndpoint: (since: Double, used: Int)] = [:]

    init(calls: Int) { self.calls = calls }

    /// Counts a call.
    ///
    /// - Returns: the calls that remain after it; -1 when it is one too many; nil without a limit.
    mutating func take(_ endpoint: ProviderEndpoint, at now: Double) -> Int? {
        guard calls > 0 else { return nil }
        var span = spans[endpoint] ?? (now, 0)
        if now - span.since >= Self.hour { span = (now, 0) }
        guard span.used < calls else { return -1 }
        span.used += 1
        spans[endpoint] = span
        return calls - span.used
    }
}
