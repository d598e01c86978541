/// The APNs `timestamp` of what a phone is sent, in whole seconds since 1970 by the database's clock. Per match it only
/// grows; a phone drops an update whose stamp is not later than the one it shows.
public struct Stamp: Hashable, Comparable, Sendable, Codable, CustomStringConvertible {
    public let rawValue: Int

    public init(_ rawValue: Int) { self.rawValue = rawValue }

    public init(from decoder: any Decoder) throws {
        rawValue = try decoder.singleValueContainer().decode(Int.self)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(rawValue)
    }

    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
    public var description: String { String(rawValue) }
}

/// Counts the committed display states of one match, from 1.
public struct MatchVersion: Hashable, Comparable, Sendable, Codable, CustomStringConvertible {
    public let rawValue: Int

    public init(_ rawValue: Int) { self.rawValue = rawValue }

    public init(from decoder: any Decoder) throws {
        rawValue = try decoder.singleValueContainer().decode(Int.self)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(rawValue)
    }

    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
    public var description: String { String(rawValue) }
}
