/// A player in a frame: in the line-up, at the crease, bowling or fielding.
public struct SlimPlayer: Codable, Sendable, Equatable {
    public var id: Int64
    public var fullName: String
    public var lastName: String

    package init(id: Int64, fullName: String, lastName: String) {
        self.id = id
        self.fullName = fullName
        self.lastName = lastName
    }

    private enum CodingKeys: String, CodingKey {
        case id
        case fullName = "name"
        case lastName = "last"
    }
}
