/// The `alert` of a push, in the form that each push type wants it.
public struct PushAlert: Hashable, Sendable {
    public var title: String
    public var body: String
    /// Plays the default sound.
    public var sound: Bool

    /// Title and body are made fit to be shown: what is invisible or turns text around is left out, and the title is at
    /// most 100, the body at most 200 characters long.
    public init(title: String, body: String, sound: Bool = false) {
        self.title = DisplayText.line(title)
        self.body = DisplayText.line(body, limit: 200)
        self.sound = sound
    }

    public init(_ alert: MatchAlert) {
        self.init(title: alert.title, body: alert.body, sound: alert.sound)
    }
}
