import FoundationEssentials

/// The error that `eventually` throws when the time is up.
public struct TestSupportError: Error, CustomStringConvertible {
    public var description: String

    public init(description: String) { self.description = description }
}

/// Waits until `condition` holds, checking every few milliseconds. Throws the last error of the condition when it does
/// not hold within `limit`. The limit is long because test machines are slow, and costs nothing when the test passes.
/// If the process got so little of the machine that it has hardly checked, the awaited code has hardly run either, and
/// the wait goes on for up to six times the limit. TEST_PATIENCE=N multiplies the limit by N, for builds that check
/// each memory access.
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
            throw TestSupportError(description: "not within \(waited), seen \(looks) times: \(what)\(cause)")
        }
        try await Task.sleep(for: interval)
    }
}

private let interval = Duration.milliseconds(10)
private let patience = ProcessInfo.processInfo.environment["TEST_PATIENCE"].flatMap { Int($0) } ?? 1
