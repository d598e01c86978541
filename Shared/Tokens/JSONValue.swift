/// JSON from outside, read strictly: where a lenient reader would guess, the text is refused.
///
/// A number keeps its spelling, so that `1e2`, `1.0` and a thousand digits are not mistaken for an integer.
public enum JSONValue: Hashable, Sendable {
    case null
    case bool(Bool)
    case number(String)
    case string(String)
    case array([JSONValue])
    case object([String: JSONValue])

    /// The reason for which a text was refused: a sentence without any of its content.
    public struct Refusal: Error, Hashable, CustomStringConvertible {
        public let description: String
    }

    /// Reads exactly one JSON value (RFC 8259) and nothing after it.
    ///
    /// - Parameter depthMax: the depth to which arrays and objects may be nested.
    /// - Throws: `Refusal` for bytes that are not UTF-8, a byte order mark, duplicate keys, unpaired surrogates, or too
    ///   much depth.
    public init(strict bytes: some Collection<UInt8>, depthMax: Int = 16) throws(Refusal) {
        let bytes = Array(bytes)
        guard String(validating: bytes, as: UTF8.self) != nil else { throw Refusal(description: "not valid UTF-8") }
        var reader = StrictJSONReader(bytes: bytes, depthMax: depthMax)
        self = try reader.readDocument()
    }

    public var string: String? { if case .string(let value) = self { value } else { nil } }
    public var bool: Bool? { if case .bool(let value) = self { value } else { nil } }
    public var array: [JSONValue]? { if case .array(let value) = self { value } else { nil } }
    public var object: [String: JSONValue]? { if case .object(let value) = self { value } else { nil } }

    /// The number if it is written as an integer and fits; nil for `1.0`, `1e2` and `"1"`.
    public var integer: Int? { if case .number(let text) = self { Int(text) } else { nil } }
}
