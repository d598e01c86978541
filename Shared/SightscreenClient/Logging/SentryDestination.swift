/// Sentry, as far as the app's log needs it. The app hands it on.
public protocol SentryPort: Sendable {
    /// Goes with the next report, if there is one.
    func addBreadcrumb(_ event: LogEvent)
    /// A report of its own.
    func capture(_ event: LogEvent)
}

/// Errors become reports; what came before them, their breadcrumbs.
public struct SentryDestination: LogDestination {
    private let sentry: any SentryPort

    public init(_ sentry: any SentryPort) { self.sentry = sentry }

    public func record(_ event: LogEvent) {
        switch event.level {
        // Not worth a user's traffic.
        case .debug: break
        case .info, .warning: sentry.addBreadcrumb(event)
        case .error: sentry.capture(event)
        }
    }
}
