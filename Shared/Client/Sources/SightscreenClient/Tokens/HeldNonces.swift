/// The nonces of silent pushes that the backend has not taken yet. A push may come before the registration that makes the
/// backend accept its echo, or while there is no network; the app then echoes it again.
struct HeldNonces: Sendable {
    struct Held: Sendable {
        var nonce: String
        /// Seconds since 1970.
        var until: Int
    }

    /// The time in seconds for which the backend takes a nonce after its push has left.
    static let validity = 3_600
    /// The most nonces that one token gets while the first is valid.
    static let countMax = 3

    private var held: [Held] = []

    mutating func hold(_ nonce: String, now: Int) { hold(Held(nonce: nonce, until: now + Self.validity)) }

    mutating func hold(_ one: Held) {
        held.append(one)
        if held.count > Self.countMax { held.removeFirst() }
    }

    /// Takes out all nonces, so that none is echoed twice at the same time; returns those that are still valid.
    mutating func takeAll(now: Int) -> [Held] {
        defer { held = [] }
        return held.filter { $0.until > now }
    }
}
