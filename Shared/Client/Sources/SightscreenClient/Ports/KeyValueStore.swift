/// A store for a few small values that survive the app, such as UserDefaults. It answers at once, so that a follow
/// button can be drawn in the first frame.
public protocol KeyValueStore: Sendable {
    /// - Returns: the value; nil when there is none for the key.
    func strings(forKey key: String) -> [String]?

    /// - Parameters:
    ///   - value: the new value, in place of an earlier one; nil removes it.
    ///   - key: the value's key.
    func set(_ value: [String]?, forKey key: String)
}
