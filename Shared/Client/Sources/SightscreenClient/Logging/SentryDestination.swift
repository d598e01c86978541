/// The part of Sentry that the app's log needs. The app implements it.
public protocol SentryPort: Sendable {
    /// Adds the event to the next report, if there is one.
    func addBreadcrumb(_ event: LogEvent)
    /// Sends the event as a report of its own.
    func capture(_ event: LogEvent)
}

/// Sends every event to Sentry: errors as reports, all others as breadcrumbs, which travel only with the next report.
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
