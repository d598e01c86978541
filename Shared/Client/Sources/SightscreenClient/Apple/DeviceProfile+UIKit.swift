// Compiled against stubs of Apple's frameworks only (deploy/apple-check).
#if canImport(UIKit) && os(iOS)
    import Foundation
    public import SightscreenModels
    import UIKit

    extension DeviceProfile {
        /// This phone and this app.
        ///
        /// Compiled against stubs only.
        @MainActor
        public static func current(_ environment: APNsEnvironment) -> DeviceProfile {
            let device = UIDevice.current
            // Counts from the restart on, asleep or not.
            var up = timespec()
            clock_gettime(CLOCK_MONOTONIC, &up)
            let version = Bundle.main.object(forInfoDictionaryKey: "CFBundleShortVersionString") as? String
            return DeviceProfile(
                // Nil only before the first unlock after a restart; a name of its own then.
                deviceID: DeviceID((device.identifierForVendor ?? UUID()).uuidString),
                platform: device.userInterfaceIdiom == .pad ? "ipados" : "ios", osVersion: device.systemVersion,
                appVersion: version, environment: environment,
                bootedAt: Int(Date().timeIntervalSince1970) - Int(up.tv_sec))
        }
    }

    extension AppPush {
        /// What the app delegate was handed.
        public init?(userInfo: [AnyHashable: Any], kind: Kind) {
            guard let data = try? JSONSerialization.data(withJSONObject: userInfo) else { return nil }
            self.init(payload: [UInt8](data), kind: kind)
        }
    }
#endif
