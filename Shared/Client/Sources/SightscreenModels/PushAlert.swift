/// The `alert` of a push, in the form that each push type needs.
public struct PushAlert: Hashable, Sendable {
    public var title: String
    public var body: String
    /// Whether the default sound plays.
    public var sound: Bool

    /// Creates an alert with text fit to be shown: invisible scalars and those that change the direction of text are
    /// left out, and the title has at most 100, the body at most 200 characters.
    public init(title: String, body: String, sound: Bool = false) {
        self.title = DisplayText.line(title)
        self.body = DisplayText.line(body, limit: 200)
        self.sound = sound
    }

    public init(_ alert: MatchAlert) {
        self.init(title: alert.title, body: alert.body, sound: alert.sound)
    }
}
