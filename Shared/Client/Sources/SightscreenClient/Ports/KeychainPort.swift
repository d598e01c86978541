/// A few secrets that survive the app, and on iOS even its removal: the Keychain.
public protocol KeychainPort: Sendable {
    /// - Returns: nil when there is nothing of that name.
    func read(_ name: String) throws(KeychainError) -> [UInt8]?

    /// In place of what was there.
    func write(_ value: [UInt8], as name: String) throws(KeychainError)

    /// What is not there is removed already.
    func remove(_ name: String) throws(KeychainError)
}

public enum KeychainError: Error, Hashable, Sendable {
    /// The phone was not unlocked since it was switched on: nothing can be known yet.
    case locked
    /// The system's status.
    case failed(Int)
}
