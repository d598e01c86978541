/// One side of a match, with the provider's id.
public struct Team: Codable, Hashable, Sendable {
    public var id: Int64
    public var name: String
    /// The short code: "MI", "PAK".
    public var code: String
    public init(id: Int64, name: String, code: String) {
        self.id = id
        self.name = name
        self.code = code
    }
}
