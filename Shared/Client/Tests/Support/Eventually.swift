import FoundationEssentials

/// What `eventually` throws when the time is up.
public struct NeverHappened: Error, CustomStringConvertible {
    public var description: String
}

/// Waits until `condition` holds, looking every few milliseconds; throws, with the last error it saw, when it does not
/// within `limit`. The limit is generous because test machines are slow, and costs nothing when things go well.
/// TEST_PATIENCE=N makes it N times as long, for builds that check each access to memory.
public func eventually(
    _ what: String, within limit: Duration = .seconds(20), _ condition: () async throws -> Bool
) async throws {
    let limit = limit * patience
    let deadline = ContinuousClock.now + limit
    var lastError: (any Error)?
    while true {
        do {
            lastError = nil
            if try await condition() { return }
        } catch {
            lastError = error
        }
        if .now >= deadline {
            let cause = lastError.map { ": \($0)" } ?? ""
            throw NeverHappened(description: "not within \(limit): \(what)\(cause)")
        }
        try await Task.sleep(for: .milliseconds(10))
    }
}

private let patience = ProcessInfo.processInfo.environment["TEST_PATIENCE"].flatMap { Int($0) } ?? 1
