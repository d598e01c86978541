// Compiled against stubs of Apple's frameworks only (deploy/apple-check).
#if canImport(os)
    import os

    /// A destination that writes to the system's log, which Console.app and Xcode show.
    public struct OSLogDestination: LogDestination {
        private let subsystem: String

        /// - Parameter subsystem: the app's bundle id.
        public init(subsystem: String) { self.subsystem = subsystem }

        public func record(_ event: LogEvent) {
            // The system keeps one logger for each pair, so this is cheap.
            let logger = os.Logger(subsystem: subsystem, category: event.category.name)
            // Events hold no secrets.
            logger.log(level: OSLogType(event.level), "\(event.text, privacy: .public)")
        }
    }

    extension OSLogType {
        fileprivate init(_ level: LogLevel) {
            switch level {
            case .debug: self = .debug
            case .info: self = .info
            // The system has no level for warnings. Its default level is kept on disk.
            case .warning: self = .default
            case .error: self = .error
            }
        }
    }
#endif
