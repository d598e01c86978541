/// One side of a match, with the provider's id.
public struct Team: Codable, Hashable, Sendable {
    public var id: Int64
    public var name: String
    /// The short code: "MI", "PAK".
    public var code: String
    /// The https address of the logo; nil where the provider has none. A snapshot of a match never has it.
    public var logo: String?
    public init(id: Int64, name: String, code: String, logo: String? = nil) {
        self.id = id
        self.name = name
        self.code = code
        self.logo = logo
    }
}
