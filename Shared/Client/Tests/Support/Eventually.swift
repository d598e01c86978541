import FoundationEssentials

/// What `eventually` throws when the time is up.
public struct NeverHappened: Error, CustomStringConvertible {
    public var description: String

    public init(description: String) { self.description = description }
}

/// Waits until `condition` holds, looking every few milliseconds; throws, with the last error it saw, when it does not
/// within `limit`. The limit is generous because test machines are slow, and costs nothing when things go well. Where the
/// process gets so little of the machine that it has hardly looked, what it waits for has hardly run either: it goes on looking,
/// up to six times the limit. TEST_PATIENCE=N makes it N times as long, for builds that check each access to memory.
public func eventually(
    _ what: String, within limit: Duration = .seconds(20), _ condition: () async throws -> Bool
) async throws {
    let limit = limit * patience
    let begun = ContinuousClock.now
    let looksMin = Int(limit / interval) / 4
    var looks = 0
    var lastError: (any Error)?
    while true {
        do {
            lastError = nil
            if try await condition() { return }
        } catch {
            lastError = error
        }
        looks += 1
        let waited = ContinuousClock.now - begun
        if waited >= limit, looks >= looksMin || waited >= limit * 6 {
            let cause = lastError.map { ": \($0)" } ?? ""
            throw NeverHappened(description: "not within \(waited), seen \(looks) times: \(what)\(cause)")
        }
        try await Task.sleep(for: interval)
    }
}

private let interval = Duration.milliseconds(10)
private let patience = ProcessInfo.processInfo.environment["TEST_PATIENCE"].flatMap { Int($0) } ?? 1
