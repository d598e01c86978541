import Logging
import Synchronization

/// Keeps the lines that are logged.
final class RecordedLog: Sendable {
    private let lines = Mutex<[String]>([])

    var all: [String] { lines.withLock { $0 } }
    var warnings: [String] { all.filter { $0.hasPrefix("warning") } }

    var logger: Logger { Logger(label: "test") { _ in Handler(log: self) } }

    private struct Handler: LogHandler {
        let log: RecordedLog
        var logLevel = Logger.Level.trace
        var metadata: Logger.Metadata = [:]

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let fields = metadata.merging(event.metadata ?? [:]) { _, new in new }
            let line = "\(event.level) \(event.message) \(fields.map { "\($0.key)=\($0.value)" }.sorted())"
            log.lines.withLock { $0.append(line) }
        }
    }
}
