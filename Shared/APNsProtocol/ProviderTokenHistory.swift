/// Which provider tokens one connection has seen: APNs allows one new one every 20 minutes, and any number of requests
/// with the one before.
public struct ProviderTokenHistory: Sendable {
    /// Between two new tokens on one connection.
    public static let intervalSeconds = 20 * 60

    private var current: String?
    private var changedAt = 0

    public init() {}

    /// Takes note of a token that is otherwise good. `tooManyProviderTokenUpdates` when it is new too soon: the
    /// connection then still takes the older one.
    ///
    /// - Parameter now: seconds since 1970.
    public mutating func refusal(of authorization: String, now: Int) -> APNsReason? {
        guard authorization != current else { return nil }
        if current != nil, now - changedAt < Self.intervalSeconds { return .tooManyProviderTokenUpdates }
        current = authorization
        changedAt = now
        return nil
    }
}
