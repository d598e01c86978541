/// A value that is encoded as one number and has a type of its own, so that two such values cannot be swapped.
public protocol NumberValue: Hashable, Comparable, Sendable, Codable, CustomStringConvertible {
    var rawValue: Int { get }
    init(_ rawValue: Int)
}

extension NumberValue {
    public init(from decoder: any Decoder) throws { self.init(try decoder.singleValueContainer().decode(Int.self)) }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(rawValue)
    }

    /// The comparison is inlined, because the backend compares stamps for every phone.
    @inlinable public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
    public var description: String { String(rawValue) }
}

/// The APNs `timestamp` of a push, in whole seconds since 1970 by the database's clock. For one match it only grows: a
/// phone drops an update whose stamp is not later than the one it shows.
public struct Stamp: NumberValue {
    public let rawValue: Int
    public init(_ rawValue: Int) { self.rawValue = rawValue }
}

/// The number of a match's committed display state, counted from 1.
public struct MatchVersion: NumberValue {
    public let rawValue: Int
    public init(_ rawValue: Int) { self.rawValue = rawValue }
}
