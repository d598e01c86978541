public import Observation

/// A source of data that views show: it is fetched, cached, and polled if it changes by itself. Views read `data`;
/// `DataPoller` does the rest.
@MainActor
public protocol DataSource<Value>: AnyObject, Observable, Sendable {
    /// The value that views show.
    associatedtype Value: Sendable

    /// The data to show; nil as long as none is known.
    var data: Value? { get }

    /// Whether `data` came from a cache and should be fetched again.
    var isStale: Bool { get }

    /// Returns cached data, however old; without any, it works like `refresh`.
    @discardableResult
    func load() async throws(APIError) -> Value

    /// Fetches the data, whether or not it is cached.
    @discardableResult
    func refresh() async throws(APIError) -> Value

    /// Whether the data changes by itself at present.
    func shouldPoll() -> Bool

    /// The wait between two fetches, in milliseconds.
    var pollIntervalMs: Int { get }
}
