public import SightscreenModels
import Synchronization

/// The id by which the backend knows this phone: `identifierForVendor`. It changes when the app is installed again.
///
/// The system may not give it yet to an app that it launches between a restart and the first unlock. The id is
/// therefore read when it is first needed, and the one of an earlier launch is kept in the Keychain. While there is
/// neither, the phone is not registered: any other id would be another phone to the backend, which it pushes to for
/// ever.
public final class DeviceIdentity: Sendable {
    static let keychainName = "sightscreen.device"

    private let keychain: (any KeychainPort)?
    private let vendorID: @Sendable () async -> String?
    private let found: Mutex<DeviceID?>

    /// Creates an identity that is known.
    public init(_ id: DeviceID) {
        keychain = nil
        vendorID = { nil }
        found = Mutex(id)
    }

    /// - Parameters:
    ///   - keychain: keeps the id.
    ///   - vendorID: returns `identifierForVendor`; nil while the system does not give it.
    public init(keychain: any KeychainPort, vendorID: @escaping @Sendable () async -> String?) {
        self.keychain = keychain
        self.vendorID = vendorID
        found = Mutex(nil)
    }

    /// Returns the id, which then stays the same for as long as the app runs; nil while it cannot be known.
    public func id() async -> DeviceID? {
        if let id = found.withLock({ $0 }) { return id }
        let kept = try? keychain?.read(Self.keychainName)
        guard let id = await vendorID() ?? kept.map({ String(decoding: $0, as: UTF8.self) }) else { return nil }
        // An id that cannot be kept is kept by the next launch.
        if kept != Array(id.utf8) { try? keychain?.write(Array(id.utf8), as: Self.keychainName) }
        return found.withLock { found in
            found = found ?? DeviceID(id)
            return found
        }
    }
}
