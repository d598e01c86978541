public struct OSLogType: Sendable {
    public static let debug = Self(), info = Self(), `default` = Self(), error = Self(), fault = Self()
}
public enum OSLogPrivacy { case `public`, `private` }
public struct OSLogMessage: ExpressibleByStringInterpolation {
    public struct StringInterpolation: StringInterpolationProtocol {
        public init(literalCapacity: Int, interpolationCount: Int) {}
        public mutating func appendLiteral(_ literal: String) {}
        public mutating func appendInterpolation(_ text: String, privacy: OSLogPrivacy) {}
    }
    public init(stringLiteral value: String) {}
    public init(stringInterpolation: StringInterpolation) {}
}
public struct Logger: Sendable {
    public init(subsystem: String, category: String) {}
    public func log(level: OSLogType, _ message: OSLogMessage) {}
}
