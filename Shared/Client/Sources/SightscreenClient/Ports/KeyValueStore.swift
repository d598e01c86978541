/// A few small values that survive the app: UserDefaults. It answers at once, so that a bell can be drawn with the first
/// frame.
public protocol KeyValueStore: Sendable {
    /// - Returns: nil when there is nothing of that name.
    func strings(forKey key: String) -> [String]?

    /// - Parameter value: in place of what was there; nil removes it.
    func set(_ value: [String]?, forKey key: String)
}
