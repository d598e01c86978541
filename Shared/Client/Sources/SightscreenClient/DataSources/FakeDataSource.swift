public import Observation

/// A data source with canned data, for previews and tests of views.
@MainActor
@Observable
public final class FakeDataSource<Value: Sendable>: DataSource {
    public private(set) var data: Value?
    public private(set) var isStale = false
    public var pollIntervalMs: Int
    private var polls: Bool
    private var next: Result<Value, APIError>
    public private(set) var refreshCount = 0

    public init(_ value: Value, pollIntervalMs: Int = PollInterval.unknownMs, polls: Bool = false) {
        next = .success(value)
        self.pollIntervalMs = pollIntervalMs
        self.polls = polls
    }

    /// Sets the result of fetches from now on.
    public func set(_ next: Result<Value, APIError>, polls: Bool = false) {
        self.next = next
        self.polls = polls
    }

    @discardableResult
    public func load() throws(APIError) -> Value {
        if let data { return data }
        return try refresh()
    }

    @discardableResult
    public func refresh() throws(APIError) -> Value {
        refreshCount += 1
        let value = try next.get()
        data = value
        return value
    }

    public func shouldPoll() -> Bool { polls }
}
