import ServiceLifecycle

/// When a service that is asked to stop is still at it, whatever keeps it waiting is taken away: before the group of
/// services gives up on it (`ServiceMain`), and long enough for what is under way to end by itself.
public let lastResortAfter = Duration.milliseconds(3_200)

/// Runs `body`; `resort` is called when the service was asked to stop some time ago and `body` has not ended. A database
/// that does not answer keeps a statement until its deadline: closing the pool ends it at once.
public func withLastResort<Result>(
    after patience: Duration = lastResortAfter, _ resort: @escaping @Sendable () async -> Void,
    isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Result
) async rethrows -> Result {
    let watch = Task {
        try await gracefulShutdown()
        try await Task.sleep(for: patience)
        await resort()
    }
    defer { watch.cancel() }
    return try await body()
}
