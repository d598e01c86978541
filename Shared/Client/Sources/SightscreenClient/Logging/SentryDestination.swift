/// Sentry, as far as the app's log needs it. The app hands it on.
public protocol SentryPort: Sendable {
    /// Goes with the next report, if there is one.
    func addBreadcrumb(_ event: LogEvent)
    /// A report of its own.
    func capture(_ event: LogEvent)
}

/// Every event reaches Sentry: errors as reports, all others as breadcrumbs, which travel with the next report only.
public struct SentryDestination: LogDestination {
    private let sentry: any SentryPort

    public init(_ sentry: any SentryPort) { self.sentry = sentry }

    public func record(_ event: LogEvent) {
        switch event.level {
        case .debug, .info, .warning: sentry.addBreadcrumb(event)
        case .error: sentry.capture(event)
        }
    }
}
