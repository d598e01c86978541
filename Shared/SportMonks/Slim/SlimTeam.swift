/// A side of a fixture. Name and code are nil when the answer came without the team included.
public struct SlimTeam: Codable, Sendable, Equatable {
    public var id: Int64
    public var name: String?
    /// The short code: "PAK", "SL".
    public var code: String?
    /// The address of the logo, as `ImageAddress` allows it; nil when the provider has none.
    public var logo: String?

    /// A side that is not known yet. No team of the provider has this id.
    static let open = SlimTeam(id: 0, name: "TBC", code: "TBC")

    package init(id: Int64, name: String? = nil, code: String? = nil, logo: String? = nil) {
        self.id = id
        self.name = name
        self.code = code
        self.logo = logo
    }
}
