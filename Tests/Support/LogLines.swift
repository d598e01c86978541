public import Logging
import Synchronization

/// Every line that a logger writes, with its metadata, at every level.
public final class LogLines: Sendable {
    private let lines = Mutex<[String]>([])

    public init() {}

    public var all: [String] { lines.withLock { $0 } }

    public var logger: Logger { Logger(label: "test") { _ in Handler(lines: self) } }

    public func count(_ text: String) -> Int { all.count { $0.contains(text) } }

    private struct Handler: LogHandler {
        let lines: LogLines
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let all = metadata.merging(event.metadata ?? [:]) { $1 }
            lines.lines.withLock { $0.append("\(event.level) \(event.message) \(all)") }
        }
    }
}
