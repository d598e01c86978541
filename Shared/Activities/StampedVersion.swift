public import SightscreenModels

/// A committed version of a match, by its number and its stamp. The later stamp is the newer version, whatever the
/// numbers: after a restore or a failover the numbers begin again where the database does, and the stamps go on.
public struct StampedVersion: Hashable, Comparable, Sendable {
    public let number: MatchVersion
    /// The stamp that the version was committed with.
    public let stamp: Stamp

    public init(_ number: MatchVersion, _ stamp: Stamp) {
        self.number = number
        self.stamp = stamp
    }

    /// The version before the first.
    public static let none = StampedVersion(MatchVersion(0), Stamp(0))

    /// Whether this version comes right after another one, as far as the numbers tell.
    public func follows(_ other: Self) -> Bool { number.rawValue == other.number.rawValue + 1 && other < self }

    public static func < (left: Self, right: Self) -> Bool { left.stamp < right.stamp }
}
