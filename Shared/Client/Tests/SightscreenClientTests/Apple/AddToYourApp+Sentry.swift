// The code of Shared/Client/docs/add-to-your-app.md for an app that has Sentry's SDK. `AddToYourAppTests` compares it
// with the page. It is compiled against a stub of that SDK only.
#if canImport(Sentry)
    import Foundation
    import Sentry
    import SightscreenClient

    /// The port's implementation with Sentry's SDK, which the app starts (`SentrySDK.start`).
    struct SentrySDKPort: SentryPort {
        func addBreadcrumb(_ event: LogEvent) {
            let crumb = Breadcrumb(level: SentryLevel(event.level), category: event.category.name)
            crumb.message = event.text
            crumb.timestamp = Date(timeIntervalSince1970: Double(event.at))
            SentrySDK.addBreadcrumb(crumb)
        }

        func capture(_ event: LogEvent) {
            let report = Event(level: SentryLevel(event.level))
            report.message = SentryMessage(formatted: event.text)
            report.tags = ["category": event.category.name]
            // Each message is one kind of report, whatever its metadata.
            report.fingerprint = [event.category.name, event.message]
            SentrySDK.capture(event: report)
        }
    }

    extension SentryLevel {
        nonisolated fileprivate init(_ level: LogLevel) {
            switch level {
            case .debug: self = .debug
            case .info: self = .info
            case .warning: self = .warning
            case .error: self = .error
            }
        }
    }
#endif
