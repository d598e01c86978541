/// The tokens that the system gave for one purpose, by its stream and by its property.
///
/// A property may lag behind the stream, so a token that another has replaced is not read from it again.
struct TokenReadings<Token: Hashable & Sendable>: Sendable {
    private(set) var newest: Token?
    /// A token changes a few times in the life of an activity.
    private var replaced: Set<Token> = []

    mutating func streamed(_ token: Token) {
        guard token != newest else { return }
        if let newest { replaced.insert(newest) }
        replaced.remove(token)
        newest = token
    }

    /// - Returns: whether the property's value is new.
    mutating func read(_ token: Token) -> Bool {
        guard token != newest, !replaced.contains(token) else { return false }
        streamed(token)
        return true
    }
}
