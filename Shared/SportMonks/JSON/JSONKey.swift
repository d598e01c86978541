/// A key of the provider's JSON, spelt where it is read.
struct JSONKey: ExpressibleByStringLiteral, CustomStringConvertible, Sendable {
    let name: StaticString

    init(stringLiteral value: StaticString) { name = value }

    var description: String { name.description }
    var count: Int { name.utf8CodeUnitCount }
}
