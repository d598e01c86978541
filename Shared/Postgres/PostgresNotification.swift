/// An element of the stream that `PostgresPool.listen` returns.
public enum PostgresNotification: Sendable, Hashable {
    /// Listening began, for the first time or again after a loss. Earlier notifications may have been missed, so the
    /// reader has to read the tables.
    case reconnected
    case notified(channel: String, payload: String)
}
