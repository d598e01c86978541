public struct NWPath: Sendable {
    public enum Status: Sendable { case satisfied, unsatisfied, requiresConnection }
    public var status: Status { .satisfied }
}
public final class NWPathMonitor: AsyncSequence, @unchecked Sendable {
    public struct AsyncIterator: AsyncIteratorProtocol { public mutating func next() async -> NWPath? { nil } }
    public init() {}
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator() }
}
