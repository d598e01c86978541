// Could not be compiled where the rest of this package was.
#if canImport(Sentry)
    import Foundation
    import Sentry

    /// Sentry's SDK, which the app brings and starts (`SentrySDK.start`); this package does not depend on it.
    ///
    /// Not compiled here.
    public struct SentrySDKPort: SentryPort {
        public init() {}

        public func addBreadcrumb(_ event: LogEvent) {
            let crumb = Breadcrumb(level: SentryLevel(event.level), category: event.category.name)
            crumb.message = event.text
            crumb.timestamp = Date(timeIntervalSince1970: Double(event.at))
            SentrySDK.addBreadcrumb(crumb)
        }

        public func capture(_ event: LogEvent) {
            let report = Event(level: SentryLevel(event.level))
            report.message = SentryMessage(formatted: event.text)
            report.tags = ["category": event.category.name]
            // One kind of report for each message, whatever belongs to the case.
            report.fingerprint = [event.category.name, event.message]
            SentrySDK.capture(event: report)
        }
    }

    extension SentryLevel {
        fileprivate init(_ level: LogLevel) {
            switch level {
            case .debug: self = .debug
            case .info: self = .info
            case .warning: self = .warning
            case .error: self = .error
            }
        }
    }
#endif
