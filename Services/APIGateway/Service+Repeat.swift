import ServiceLifecycle

extension Service {
    /// Runs `action` at once and again after each pause, until the service is asked to end.
    func repeatUntilShutdown(pause: Duration, _ action: @escaping @Sendable () async -> Void) async {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                await action()
                try? await Task.sleep(for: pause)
            }
        }
    }
}
