/// The value of `apns-topic`: the app's bundle id, with a suffix for Live Activities.
public enum APNsTopic: Hashable, Sendable {
    case app(bundleID: String)
    case liveActivity(bundleID: String)

    static let liveActivitySuffix = ".push-type.liveactivity"

    /// The value as the header has it.
    public var text: String {
        switch self {
        case .app(let bundleID): bundleID
        case .liveActivity(let bundleID): bundleID + Self.liveActivitySuffix
        }
    }
}
