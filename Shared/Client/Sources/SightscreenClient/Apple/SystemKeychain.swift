// Compiled against stubs of Apple's frameworks only (deploy/apple-check).
#if canImport(Security)
    import Foundation
    import Security

    /// The port's implementation with the Keychain: generic passwords of one service, readable from the first unlock
    /// on, and never part of a backup that is restored on another phone.
    public struct SystemKeychain: KeychainPort {
        private let service: String

        /// - Parameter service: the app's bundle id.
        public init(service: String) { self.service = service }

        public func read(_ name: String) throws(KeychainError) -> [UInt8]? {
            var query = item(name)
            query[kSecReturnData as String] = true
            query[kSecMatchLimit as String] = kSecMatchLimitOne
            var found: CFTypeRef?
            switch SecItemCopyMatching(query as CFDictionary, &found) {
            case errSecSuccess: return (found as? Data).map { [UInt8]($0) }
            case errSecItemNotFound: return nil
            case let status: throw error(status)
            }
        }

        public func write(_ value: [UInt8], as name: String) throws(KeychainError) {
            let change = [kSecValueData as String: Data(value)]
            switch SecItemUpdate(item(name) as CFDictionary, change as CFDictionary) {
            case errSecSuccess: return
            case errSecItemNotFound: break
            case let status: throw error(status)
            }
            var new = item(name)
            new[kSecValueData as String] = Data(value)
            // The item is readable while the phone is locked, because a push may wake the app then.
            new[kSecAttrAccessible as String] = kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly
            let status = SecItemAdd(new as CFDictionary, nil)
            if status != errSecSuccess { throw error(status) }
        }

        public func remove(_ name: String) throws(KeychainError) {
            let status = SecItemDelete(item(name) as CFDictionary)
            if status != errSecSuccess, status != errSecItemNotFound { throw error(status) }
        }

        private func item(_ name: String) -> [String: Any] {
            [
                kSecClass as String: kSecClassGenericPassword, kSecAttrService as String: service,
                kSecAttrAccount as String: name, kSecUseDataProtectionKeychain as String: true,
            ]
        }

        private func error(_ status: OSStatus) -> KeychainError {
            status == errSecInteractionNotAllowed ? .locked : .failed(Int(status))
        }
    }
#endif
