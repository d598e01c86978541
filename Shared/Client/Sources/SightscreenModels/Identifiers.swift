/// A value that is encoded as one string and has a type of its own, so that two such values cannot be swapped.
public protocol StringIdentifier: Hashable, Comparable, Sendable, Codable, CustomStringConvertible {
    var rawValue: String { get }
    init(_ rawValue: String)
}

extension StringIdentifier {
    public init(from decoder: any Decoder) throws {
        self.init(try decoder.singleValueContainer().decode(String.self))
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(rawValue)
    }

    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
    public var description: String { rawValue }
}

/// The provider's fixture id. JSON carries it as a decimal string, as it does all ids of the HTTP API.
public struct MatchID:
    Hashable, Comparable, Sendable, Codable, Identifiable, CustomStringConvertible, LosslessStringConvertible
{
    public let rawValue: Int64

    public var id: Self { self }

    public init(_ rawValue: Int64) { self.rawValue = rawValue }

    /// Reads the decimal form: digits only, no sign, no leading zero, greater than zero. Anything else is nil.
    public init?(_ description: String) {
        guard let value = Int64(description), value > 0, String(value) == description else { return nil }
        rawValue = value
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let id = MatchID(text) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "not a match id")
        }
        self = id
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }

    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
    public var description: String { String(rawValue) }
}

/// The `sub` of a user's bearer token.
public struct UserID: StringIdentifier {
    public let rawValue: String
    public init(_ rawValue: String) { self.rawValue = rawValue }
}

/// `identifierForVendor` of a phone; unique only together with its user.
public struct DeviceID: StringIdentifier {
    public let rawValue: String
    public init(_ rawValue: String) { self.rawValue = rawValue }
}

/// ActivityKit's id of one activity on one phone.
public struct ActivityID: StringIdentifier {
    public let rawValue: String
    public init(_ rawValue: String) { self.rawValue = rawValue }
}

/// The id of one push-to-start. It travels in the attributes, so that the app can tell which start made an activity.
public struct StartID: StringIdentifier {
    public let rawValue: String
    public init(_ rawValue: String) { self.rawValue = rawValue }
}

/// The id of a broadcast channel, as APNs gives it: base64 of no promised length.
public struct ChannelID: StringIdentifier {
    public let rawValue: String
    public init(_ rawValue: String) { self.rawValue = rawValue }
}
