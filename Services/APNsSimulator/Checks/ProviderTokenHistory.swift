/// The provider tokens that one connection has seen. APNs allows a connection a new token every 20 minutes, and any
/// number of requests with the one before.
struct ProviderTokenHistory: Sendable {
    /// Seconds between two new tokens on one connection.
    static let intervalSeconds = 20 * 60

    private var current: String?
    private var changedAt = 0

    /// Notes a token that is otherwise valid. Returns `tooManyProviderTokenUpdates` when it is new too soon; the
    /// connection then still accepts the older one.
    ///
    /// - Parameter now: seconds since 1970.
    mutating func refusal(of authorization: String, now: Int) -> Refusal? {
        guard authorization != current else { return nil }
        if current != nil, now - changedAt < Self.intervalSeconds { return .tooManyProviderTokenUpdates }
        current = authorization
        changedAt = now
        return nil
    }
}
