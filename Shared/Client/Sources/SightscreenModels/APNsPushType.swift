/// `apns-push-type`, as far as we send it.
public enum APNsPushType: String, Codable, Sendable, Hashable, CaseIterable {
    /// Start, update and end of an activity alike.
    case liveactivity
    case background
    case alert
}
