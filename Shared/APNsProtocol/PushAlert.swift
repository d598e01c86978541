public import Sightscreen

/// The `alert` of a push, in the form that each push type wants it.
public struct PushAlert: Hashable, Sendable {
    public var title: String
    public var body: String
    /// Plays the default sound. Only a wicket does.
    public var sound: Bool

    public init(title: String, body: String, sound: Bool = false) {
        self.title = title
        self.body = body
        self.sound = sound
    }

    public init(_ alert: MatchAlert) {
        self.init(title: alert.title, body: alert.body, sound: alert.sound)
    }
}
