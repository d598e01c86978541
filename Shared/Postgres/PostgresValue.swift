/// A parameter of a query. The server infers its type from its place in the statement; where it cannot, write a cast
/// (`$1::bigint[]`).
public enum PostgresValue: Sendable, Hashable {
    case null
    case text(String)
    case int(Int64)
    case double(Double)
    case bool(Bool)
    /// An array of texts, for parameters of type `text[]` only.
    case textArray([String?])
    case intArray([Int64?])
    case doubleArray([Double?])
    case boolArray([Bool?])

    public init(_ value: String?) { self = value.map { .text($0) } ?? .null }
    public init(_ value: Int?) { self = value.map { .int(Int64($0)) } ?? .null }
    public init(_ value: Int64?) { self = value.map { .int($0) } ?? .null }
    public init(_ value: Double?) { self = value.map { .double($0) } ?? .null }
    public init(_ value: Bool?) { self = value.map { .bool($0) } ?? .null }

    public static func int(_ value: Int) -> PostgresValue { .int(Int64(value)) }
    public static func intArray(_ values: [Int]) -> PostgresValue { .intArray(values.map { Int64($0) }) }
}

extension PostgresValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByNilLiteral, ExpressibleByFloatLiteral
{
    public init(stringLiteral value: String) { self = .text(value) }
    public init(integerLiteral value: Int64) { self = .int(value) }
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    public init(nilLiteral: ()) { self = .null }
    public init(floatLiteral value: Double) { self = .double(value) }
}
