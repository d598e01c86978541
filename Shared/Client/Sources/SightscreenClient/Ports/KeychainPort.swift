/// A store for a few secrets that survive the app, and on iOS even its removal: the Keychain.
public protocol KeychainPort: Sendable {
    /// - Returns: the secret; nil when there is none with that name.
    func read(_ name: String) throws(KeychainError) -> [UInt8]?

    /// Writes a secret in place of an earlier one.
    func write(_ value: [UInt8], as name: String) throws(KeychainError)
    /// Removes a secret. Removing a name that does not exist succeeds.
    func remove(_ name: String) throws(KeychainError)
}

public enum KeychainError: Error, Hashable, Sendable {
    /// The phone was not unlocked since it was switched on, so nothing can be read yet.
    case locked
    /// The system failed. The value is its status.
    case failed(Int)
}
