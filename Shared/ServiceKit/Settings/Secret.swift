/// A value that must not appear in a log, an error or a debugger's dump: it is always printed as `***`.
public struct Secret: Sendable, Equatable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    private let value: String

    package init(_ value: String) { self.value = value }

    /// Returns the value itself, for the one place that needs it.
    public func reveal() -> String { value }

    public var description: String { "***" }
    public var debugDescription: String { "***" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
