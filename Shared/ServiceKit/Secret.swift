/// A value that must not show up in a log, an error or a debugger's dump: whatever prints it prints `***`.
public struct Secret: Sendable, Equatable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    private let value: String

    public init(_ value: String) { self.value = value }

    /// The value itself, for the one place that needs it.
    public func reveal() -> String { value }

    public var description: String { "***" }
    public var debugDescription: String { "***" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
