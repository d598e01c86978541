/// What `PostgresPool.listen` yields.
public enum PostgresNotification: Sendable, Hashable {
    /// Listening began, for the first time or again after a loss: whatever was notified before may have been missed, so
    /// read the tables.
    case reconnected
    case notified(channel: String, payload: String)
}
