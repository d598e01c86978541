/// JSON as it stands in the OpenAPI document, written with Swift's literals.
enum DocumentValue: Encodable, Hashable, Sendable {
    case null
    case bool(Bool)
    case integer(Int)
    case number(Double)
    case text(String)
    case list([DocumentValue])
    case object([String: DocumentValue])

    func encode(to encoder: any Encoder) throws {
        switch self {
        case .object(let members):
            var container = encoder.container(keyedBy: MemberName.self)
            for (name, value) in members { try container.encode(value, forKey: MemberName(stringValue: name)) }
        case .list(let elements):
            var container = encoder.unkeyedContainer()
            for element in elements { try container.encode(element) }
        default:
            var container = encoder.singleValueContainer()
            switch self {
            case .bool(let value): try container.encode(value)
            case .integer(let value): try container.encode(value)
            case .number(let value): try container.encode(value)
            case .text(let value): try container.encode(value)
            default: try container.encodeNil()
            }
        }
    }

    /// The same with `more`'s members, which win; of objects only.
    func merging(_ more: [String: DocumentValue]) -> DocumentValue {
        guard case .object(let members) = self else { return self }
        return .object(members.merging(more) { $1 })
    }

    private struct MemberName: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }
}

extension DocumentValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral, ExpressibleByStringInterpolation
{
    init(stringLiteral value: String) { self = .text(value) }
    init(integerLiteral value: Int) { self = .integer(value) }
    init(booleanLiteral value: Bool) { self = .bool(value) }
    init(arrayLiteral elements: DocumentValue...) { self = .list(elements) }
    init(dictionaryLiteral elements: (String, DocumentValue)...) {
        self = .object(Dictionary(elements) { $1 })
    }
}
