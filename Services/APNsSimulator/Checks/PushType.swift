/// The values of `apns-push-type` that the simulated app is sent. Apple has more, for topics that the app has not.
enum PushType: String, Codable, Sendable, Hashable, CaseIterable {
    /// Starts, updates and ends of activities alike.
    case liveActivity = "liveactivity"
    case background
    case alert
}
