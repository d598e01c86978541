/// Whether the app may use channels. It is switched in Apple's portal, and switching it off deletes every channel.
struct Capability: Codable, Sendable, Hashable {
    var enabled = true
    /// The reason of the answers while it is off: Apple's pages print one, another was seen.
    var reason: Reason?

    enum Reason: String, Codable, Sendable, Hashable, CaseIterable {
        case broadcastFeatureNotEnabled = "BroadcastFeatureNotEnabled"
        case featureNotEnabled = "FeatureNotEnabled"
    }

    var refusal: Refusal? {
        if enabled { return nil }
        return reason == .featureNotEnabled ? .featureNotEnabled : .broadcastFeatureNotEnabled
    }
}
