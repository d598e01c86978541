/// Waits for `work`, but no longer than `limit`. Late work goes on, and its result is ignored.
///
/// - Returns: the result, or nil when it was late.
func finished<Value: Sendable>(
    within limit: Duration, _ clock: any ClientClock, _ work: @escaping @Sendable () async -> Value
) async -> Value? {
    let (first, continuation) = AsyncStream.makeStream(of: Value?.self, bufferingPolicy: .bufferingOldest(1))
    Task { continuation.yield(await work()) }
    let alarm = Task { if (try? await clock.sleep(for: limit)) != nil { continuation.yield(nil) } }
    defer {
        alarm.cancel()
        continuation.finish()
    }
    for await value in first { return value }
    return nil
}
