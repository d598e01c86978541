/// A value that is written as one number and must not be mistaken for another such value.
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

    /// Inlined, since the backend compares stamps for every phone.
    @inlinable public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
    public var description: String { String(rawValue) }
}

/// The APNs `timestamp` of what a phone is sent, in whole seconds since 1970 by the database's clock. Per match it only
/// grows; a phone drops an update whose stamp is not later than the one it shows.
public struct Stamp: NumberValue {
    public let rawValue: Int
    public init(_ rawValue: Int) { self.rawValue = rawValue }
}

/// Counts the committed display states of one match, from 1.
public struct MatchVersion: NumberValue {
    public let rawValue: Int
    public init(_ rawValue: Int) { self.rawValue = rawValue }
}
