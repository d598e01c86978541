/// The nonces of silent pushes that the backend has not taken yet. A push may come before the registration that makes the
/// backend accept its echo, or while there is no network; the app then echoes it again.
struct HeldNonces: Sendable {
    /// The time in seconds for which the backend takes a nonce after its push has left.
    static let validity = 3_600
    /// The most nonces that one token gets while the first is valid.
    static let countMax = 3

    private var held: [(nonce: String, until: Int)] = []

    /// - Parameter now: seconds since 1970.
    mutating func hold(_ nonce: String, now: Int) {
        forget(nonce)
        held.append((nonce, now + Self.validity))
        if held.count > Self.countMax { held.removeFirst() }
    }

    mutating func forget(_ nonce: String) { held.removeAll { $0.nonce == nonce } }

    /// The nonces to echo, newest first.
    func valid(now: Int) -> [String] { held.reversed().filter { $0.until > now }.map(\.nonce) }
}
