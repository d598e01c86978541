// Compiled against stubs of Apple's frameworks only (deploy/apple-check).
#if canImport(UIKit) && os(iOS)
    import Foundation
    public import SightscreenModels
    import UIKit

    extension DeviceProfile {
        /// Returns the profile of this phone and this app.
        ///
        /// - Parameter keychain: keeps the phone's id.
        @MainActor
        public static func current(_ environment: APNsEnvironment, keychain: any KeychainPort) -> DeviceProfile {
            let device = UIDevice.current
            // This clock counts from the restart, and goes on while the phone sleeps.
            var up = timespec()
            clock_gettime(CLOCK_MONOTONIC, &up)
            let version = Bundle.main.object(forInfoDictionaryKey: "CFBundleShortVersionString") as? String
            return DeviceProfile(
                device: DeviceIdentity(keychain: keychain) { await vendorID() },
                platform: device.userInterfaceIdiom == .pad ? "ipados" : "ios", osVersion: device.systemVersion,
                appVersion: version, environment: environment,
                bootedAt: Int(Date().timeIntervalSince1970) - Int(up.tv_sec))
        }

        @MainActor
        private static func vendorID() -> String? { UIDevice.current.identifierForVendor?.uuidString }
    }
#endif
