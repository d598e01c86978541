/// The reason why a payload cannot be made.
public enum PayloadError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The payload is longer than Apple allows after every cut; its length in bytes.
    case tooLarge(bytes: Int)
    case notEncodable(String)

    public var description: String {
        switch self {
        case .tooLarge(let bytes): "a push of \(bytes) bytes does not fit into \(PushPayload.bytesMax)"
        case .notEncodable(let problem): "a push cannot be written as JSON: \(problem)"
        }
    }
}
