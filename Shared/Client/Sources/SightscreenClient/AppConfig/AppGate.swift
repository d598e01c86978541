public import SightscreenModels

/// Whether this version of the app may be used now.
public enum AppGate: Hashable, Sendable {
    case open
    /// This version is below the least one; the address of the newer one in the store.
    case updateRequired(minimum: String, storeURL: String)
    /// What the backend wants said, if it says something.
    case maintenance(message: String?)

    /// - Parameters:
    ///   - config: what the backend says, or said at last.
    ///   - version: this app's; nil when it has none, and then nothing is compared.
    ///   - isFresh: whether the backend has just said it, and to this version. A least version stays one; a maintenance
    ///     ends, and nobody who could not ask can tell whether it has.
    public init(_ config: AppConfig, version: String?, isFresh: Bool) {
        let isBelow = version.map { AppVersion($0) < AppVersion(config.minAppVersion) } ?? false
        // First, for it is the only one of the two about which the user can do something.
        if isBelow || (isFresh && config.updateRequired == true) {
            self = .updateRequired(minimum: config.minAppVersion, storeURL: config.storeUrl)
        } else if isFresh && config.maintenanceMode {
            self = .maintenance(message: config.maintenanceMessage)
        } else {
            self = .open
        }
    }
}
