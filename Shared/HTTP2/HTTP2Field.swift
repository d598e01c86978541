/// One header field, its name in lower case; pseudo-header fields start with a colon.
public struct HTTP2Field: Hashable, Sendable {
    public var name: String
    public var value: String
    /// The field is sent as a literal that no HPACK table keeps, here or at a proxy. On a received field: the sender
    /// asked for that.
    public var neverIndexed: Bool

    package init(_ name: String, _ value: String, neverIndexed: Bool = false) {
        self.name = name
        self.value = value
        self.neverIndexed = neverIndexed
    }
}

extension [HTTP2Field] {
    /// Returns the value of the first field with this (lower-case) name.
    public subscript(name: String) -> String? { first { $0.name == name }?.value }
}
