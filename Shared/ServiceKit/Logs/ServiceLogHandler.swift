import Glibc
import Logging

/// Formats swift-log's events as text or JSON and passes the lines to a `LogWriter`.
struct ServiceLogHandler: LogHandler {
    var logLevel: Logger.Level
    var metadata: Logger.Metadata = [:]
    var metadataProvider: Logger.MetadataProvider?
    let label: String
    let format: LogFormat
    let write: @Sendable (String) -> Void
    /// The time in milliseconds since 1970.
    var now: @Sendable () -> Int64 = Self.wallClock

    init(
        label: String, level: Logger.Level, format: LogFormat, metadataProvider: Logger.MetadataProvider? = nil,
        write: @escaping @Sendable (String) -> Void
    ) {
        self.label = label
        self.logLevel = level
        self.format = format
        self.metadataProvider = metadataProvider
        self.write = write
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        var merged = metadata
        if let metadataProvider { merged.merge(metadataProvider.get()) { _, new in new } }
        if let trace = TraceContext.current { merged["trace.id"] = "\(trace.traceID)" }
        if let own = event.metadata { merged.merge(own) { _, new in new } }
        if let error = event.error { merged["error"] = "\(ErrorChain.describe(error))" }
        let fields = merged.map { (key: $0.key, value: $0.value) }.sorted { $0.key < $1.key }
        let time = LogText.timestamp(milliseconds: now())
        switch format {
        case .text: write(text(time, event, fields))
        case .json: write(json(time, event, fields))
        }
    }

    private func text(_ time: String, _ event: LogEvent, _ fields: [(key: String, value: Logger.MetadataValue)])
        -> String
    {
        let level = event.level.rawValue
        let padding = String(repeating: " ", count: max(0, 5 - level.count))
        var line = "\(time) \(level)\(padding) \(label)  \(LogText.escapingControls(event.message.description))"
        var separator = "  "
        for field in fields {
            line += "\(separator)\(LogText.value(field.key))=\(LogText.value(field.value.description))"
            separator = " "
        }
        return line
    }

    private func json(_ time: String, _ event: LogEvent, _ fields: [(key: String, value: Logger.MetadataValue)])
        -> String
    {
        var line = "{\"time\":\"\(time)\",\"level\":\"\(event.level.rawValue)\",\"service\":\(LogText.json(label))"
        line += ",\"message\":\(LogText.json(event.message.description))"
        for field in fields {
            let key = ["time", "level", "service", "message"].contains(field.key) ? "metadata.\(field.key)" : field.key
            line += ",\(LogText.json(key)):\(LogText.json(field.value.description))"
        }
        return line + "}"
    }

    @Sendable private static func wallClock() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }
}
