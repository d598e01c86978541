import SightscreenModels

/// One logged event, free of secrets and ready to be shown.
public struct LogEvent: Hashable, Sendable {
    public var level: LogLevel
    public var category: LogCategory
    /// The message, a constant of the program.
    public var message: String
    public var metadata: [String: String]
    /// The error's own description.
    public var error: String?
    /// The time of the event, in seconds since 1970.
    public var at: Int

    /// Creates an event. Secrets are removed from metadata and error here, so that no destination can forget it.
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

    /// The text that every destination shows: "[liveActivity] Failed to adopt push-started LA error=unsupported
    /// match=7".
    public var text: String {
        var words = ["[\(category.name)] \(message)"]
        if let error { words.append("error=\(error)") }
        for (key, value) in metadata.sorted(by: { $0.key < $1.key }) { words.append("\(key)=\(value)") }
        return words.joined(separator: " ")
    }

    /// The text with time and level, for a destination without either: "2026-11-23T08:00:00Z error [auth] …".
    public var line: String {
        "\(UTCDay.time(at: at))Z \(level.name) \(text)"
    }
}
