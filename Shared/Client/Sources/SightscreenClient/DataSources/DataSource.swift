public import Observation

/// Something that views show, that is fetched, cached, and perhaps polled. Views read `data`; `DataPoller` does the rest.
@MainActor
public protocol DataSource<Value>: AnyObject, Observable, Sendable {
    /// What views show.
    associatedtype Value: Sendable

    /// What to show; nil as long as nothing is known.
    var data: Value? { get }

    /// `data` came from a cache and should be asked for again.
    var isStale: Bool { get }

    /// Cache first: what is cached, however old, otherwise as `refresh`.
    @discardableResult
    func load() async throws(APIError) -> Value

    /// A fetch, whatever is cached.
    @discardableResult
    func refresh() async throws(APIError) -> Value

    /// Whether it changes by itself now.
    func shouldPoll() -> Bool

    /// How long to wait between two fetches, in milliseconds.
    var pollIntervalMs: Int { get }
}
