import SightscreenModels
import Tokens

/// Reads the members of a request's JSON object, after the call's schema has accepted it. Null counts as left out.
struct FieldReader: Sendable {
    private let members: [String: JSONValue]

    /// Reads a body; an empty one counts as `{}` if it is optional.
    /// - Throws: `Problem` unless `body` is one strict JSON object of the wanted form.
    init(_ body: [UInt8], _ wanted: Operation.Body) throws {
        if body.isEmpty, wanted.isOptional {
            members = [:]
            return
        }
        let value: JSONValue
        do {
            value = try JSONValue(strict: body, depthMax: GatewayLimits.jsonDepthMax)
        } catch {
            throw Problem(.invalidJSON, "\(error)")
        }
        guard let members = value.object else { throw Problem(.invalidJSON, "not an object") }
        if let problem = wanted.fault(in: value) { throw problem }
        self.members = members
    }

    private init(_ members: [String: JSONValue]) { self.members = members }

    /// The fields of a call without a body.
    static let none = FieldReader([:])

    /// Whether the field is present and null.
    func isNull(_ name: String) -> Bool { members[name] == .null }

    /// - Parameter read: converts the value; nil refuses it, when the schema accepted a value that the code cannot use.
    private func read<T>(_ name: String, _ read: (JSONValue) -> T?) throws -> T? {
        guard let value = members[name], value != .null else { return nil }
        guard let result = read(value) else { throw Problem.field(name, "cannot be used") }
        return result
    }

    static func required<T>(_ name: String, _ value: T?) throws -> T {
        guard let value else { throw Problem.field(name, "is required") }
        return value
    }

    // MARK: - The API's kinds of fields

    func flag(_ name: String) throws -> Bool? { try read(name, \.bool) }

    func text(_ name: String) throws -> String? { try read(name, \.string) }

    func integer(_ name: String) throws -> Int? { try read(name, \.wholeNumber) }

    func number(_ name: String) throws -> Double? {
        try read(name, \.double)
    }

    func matchID(_ name: String) throws -> MatchID? {
        try read(name) { $0.string.flatMap { MatchID($0) } }
    }

    func identifier<ID: StringIdentifier>(_ name: String, as type: ID.Type) throws -> ID? {
        try text(name).map { ID($0) }
    }

    func token<Token: PushToken>(_ name: String, as type: Token.Type) throws -> Token? {
        try text(name).map { Token($0) }
    }

    func choice<T: RawRepresentable<String>>(_ name: String, of type: T.Type) throws -> T? {
        try read(name) { $0.string.flatMap { T(rawValue: $0) } }
    }

    func objects(_ name: String) throws -> [FieldReader]? {
        try read(name) { value in value.array?.compactMap { $0.object.map { FieldReader($0) } } }
    }
}
