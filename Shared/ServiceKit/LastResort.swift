import ServiceLifecycle

/// The time after which a service that was asked to stop loses what it still waits for. It is long enough for work in
/// flight to end by itself, and shorter than the time after which `ServiceMain` cancels the group of services.
public let lastResortAfter = Duration.milliseconds(3_200)

/// Runs `body`, and calls `resort` if the service was asked to stop `patience` ago and `body` has not ended. A database
/// that does not answer would keep a statement until its deadline; closing the pool ends it at once.
public func withLastResort<Result>(
    after patience: Duration = lastResortAfter, _ resort: @escaping @Sendable () async -> Void,
    isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Result
) async rethrows -> Result {
    let timer = Task {
        try await gracefulShutdown()
        try await Task.sleep(for: patience)
        await resort()
    }
    defer { timer.cancel() }
    return try await body()
}
