import Messages
import Sightscreen
import Tokens

/// Reads a request's JSON object field by field. What nobody has read when `finish` is called is refused, so that a
/// misspelt field is not silently ignored. Null counts as left out.
struct FieldReader {
    private let members: [String: JSONValue]
    private var read: Set<String> = []

    /// - Throws: `Problem` unless `body` is one strict JSON object.
    init(_ body: [UInt8]) throws {
        let value: JSONValue
        do {
            value = try JSONValue(strict: body, depthMax: GatewayLimits.jsonDepthMax)
        } catch {
            throw Problem(.invalidJSON, "\(error)")
        }
        guard let members = value.object else { throw Problem(.invalidJSON, "not an object") }
        self.members = members
    }

    init(_ members: [String: JSONValue]) { self.members = members }

    func finish() throws {
        guard let unknown = members.keys.filter({ !read.contains($0) }).min() else { return }
        // The name is the client's own text: it is given back only when it is harmless.
        throw Problem(.invalidRequest, "a field is not known", field: Identifier.isValid(unknown) ? unknown : nil)
    }

    /// Whether the field is there and null.
    func isNull(_ name: String) -> Bool { members[name] == .null }

    private mutating func value(_ name: String) -> JSONValue? {
        read.insert(name)
        guard let value = members[name], value != .null else { return nil }
        return value
    }

    /// - Parameter parse: nil refuses the value.
    mutating func optional<T>(_ name: String, _ wanted: String, _ parse: (JSONValue) -> T?) throws -> T? {
        guard let value = value(name) else { return nil }
        guard let parsed = parse(value) else { throw Problem.field(name, "must be \(wanted)") }
        return parsed
    }

    static func required<T>(_ name: String, _ value: T?) throws -> T {
        guard let value else { throw Problem.field(name, "is required") }
        return value
    }

    // MARK: - The API's kinds of fields

    mutating func flag(_ name: String) throws -> Bool? { try optional(name, "true or false", \.bool) }

    mutating func matchID(_ name: String) throws -> MatchID? {
        try optional(name, "a match id: decimal digits in a string") { $0.string.flatMap { MatchID($0) } }
    }

    mutating func teamID(_ name: String) throws -> String? {
        try optional(name, "a team id: decimal digits in a string") { $0.string.flatMap { MatchID($0)?.description } }
    }

    mutating func identifier<ID: StringIdentifier>(_ name: String, as type: ID.Type) throws -> ID? {
        try optional(name, "1 to 64 letters, digits, - and _") { value in
            value.string.flatMap { Identifier.isValid($0) ? ID($0) : nil }
        }
    }

    mutating func token<Token: PushToken>(_ name: String, as type: Token.Type) throws -> Token? {
        try optional(name, "a push token: 64 to 512 hexadecimal digits, an even number") { value in
            value.string.flatMap { Identifier.isToken($0) ? Token($0) : nil }
        }
    }

    mutating func choice<T: RawRepresentable<String> & CaseIterable>(_ name: String, of type: T.Type) throws -> T? {
        let names = T.allCases.map(\.rawValue).joined(separator: ", ")
        return try optional(name, "one of \(names)") { $0.string.flatMap { T(rawValue: $0) } }
    }

    mutating func shortText(_ name: String) throws -> String? {
        try optional(name, "1 to 64 printable ASCII characters") { value in
            value.string.flatMap { Identifier.isShortText($0) ? $0 : nil }
        }
    }

    mutating func objects(_ name: String, max: Int) throws -> [FieldReader]? {
        try optional(name, "a list of at most \(max) objects") { value in
            guard let elements = value.array, elements.count <= max else { return nil }
            let objects = elements.compactMap(\.object)
            return objects.count == elements.count ? objects.map { FieldReader($0) } : nil
        }
    }
}
