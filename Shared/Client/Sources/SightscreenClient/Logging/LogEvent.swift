import SightscreenModels

/// One thing that was logged, free of secrets and ready to be shown.
public struct LogEvent: Hashable, Sendable {
    public var level: LogLevel
    public var category: LogCategory
    /// A constant of the program.
    public var message: String
    public var metadata: [String: String]
    /// What the error said of itself.
    public var error: String?
    /// Seconds since 1970.
    public var at: Int

    /// - Parameters: what comes from outside (metadata, the error) is cleaned here, so that no destination can forget it.
    public init(
        level: LogLevel, category: LogCategory, message: String, metadata: [String: String] = [:],
        error: String? = nil, at: Int
    ) {
        self.level = level
        self.category = category
        self.message = message
        self.metadata = LogRedaction.clean(metadata)
        self.error = error.map { LogRedaction.clean($0) }
        self.at = at
    }

    /// What every destination shows: "[liveActivity] Failed to adopt push-started LA error=unsupported match=7".
    public var text: String {
        var words = ["[\(category.name)] \(message)"]
        if let error { words.append("error=\(error)") }
        for (key, value) in metadata.sorted(by: { $0.key < $1.key }) { words.append("\(key)=\(value)") }
        return words.joined(separator: " ")
    }

    /// For a destination that has neither a time nor a level of its own: "2026-11-23T08:00:00Z error [auth] …".
    public var line: String {
        "\(UTCDay.time(at: at))Z \(level.name) \(text)"
    }
}
