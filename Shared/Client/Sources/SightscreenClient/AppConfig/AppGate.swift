public import SightscreenModels

/// Whether this version of the app may be used now.
public enum AppGate: Hashable, Sendable {
    case open
    /// This version is below the minimum. `storeURL` is the address of the newer version in the store.
    case updateRequired(minimum: String, storeURL: String)
    /// The app is closed for maintenance, with the backend's message.
    case maintenance(message: String?)

    /// - Parameters:
    ///   - config: the configuration that the backend last returned.
    ///   - version: the version of this app; nil when it has none, and then no versions are compared.
    ///   - isFresh: whether the backend has just returned the configuration, and to this version. A minimum version
    ///     from earlier still applies. Maintenance from earlier does not, because it ends, and an app that could not
    ///     ask cannot tell whether it has.
    public init(_ config: AppConfig, version: String?, isFresh: Bool) {
        let isBelow = version.map { AppVersion($0) < AppVersion(config.minAppVersion) } ?? false
        // The update comes first, because it is the only one of the two about which the user can do something.
        if isBelow || (isFresh && config.updateRequired == true) {
            self = .updateRequired(minimum: config.minAppVersion, storeURL: config.storeUrl)
        } else if isFresh && config.maintenanceMode {
            self = .maintenance(message: config.maintenanceMessage)
        } else {
            self = .open
        }
    }
}
