/// The values of the `apns-push-type` header that this system sends.
public enum APNsPushType: String, Codable, Sendable, Hashable, CaseIterable {
    /// Starts, updates and ends of activities alike.
    case liveactivity
    case background
    case alert
}
