/// A point in time by the database's clock, in milliseconds since 1970.
public struct Moment: Hashable, Comparable, Sendable, CustomStringConvertible {
    public let milliseconds: Int

    package init(milliseconds: Int) { self.milliseconds = milliseconds }
    public init(seconds: Int) { milliseconds = seconds * 1_000 }

    /// Whole seconds, as stamps count them.
    public var seconds: Int { milliseconds / 1_000 }

    public static func < (left: Self, right: Self) -> Bool { left.milliseconds < right.milliseconds }
    public static func + (left: Self, wait: Duration) -> Moment {
        Moment(milliseconds: left.milliseconds + wait.wholeMilliseconds)
    }
    public static func - (left: Self, wait: Duration) -> Moment {
        Moment(milliseconds: left.milliseconds - wait.wholeMilliseconds)
    }
    public static func - (left: Self, right: Self) -> Duration {
        .milliseconds(left.milliseconds - right.milliseconds)
    }

    public var description: String { "\(milliseconds) ms" }
}

extension Duration {
    fileprivate var wholeMilliseconds: Int {
        Int(components.seconds) * 1_000 + Int(components.attoseconds / 1_000_000_000_000_000)
    }
}
