/// The reason why a stream or a connection ended (RFC 9113, section 7).
public struct HTTP2ErrorCode: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    public let rawValue: UInt32
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    public static let noError = HTTP2ErrorCode(rawValue: 0)
    public static let protocolError = HTTP2ErrorCode(rawValue: 1)
    public static let internalError = HTTP2ErrorCode(rawValue: 2)
    /// The peer did not process the stream at all: sending it again is safe.
    public static let refusedStream = HTTP2ErrorCode(rawValue: 7)
    public static let cancel = HTTP2ErrorCode(rawValue: 8)
    public static let enhanceYourCalm = HTTP2ErrorCode(rawValue: 11)

    public var description: String {
        let names = [
            "NO_ERROR", "PROTOCOL_ERROR", "INTERNAL_ERROR", "FLOW_CONTROL_ERROR", "SETTINGS_TIMEOUT", "STREAM_CLOSED",
            "FRAME_SIZE_ERROR", "REFUSED_STREAM", "CANCEL", "COMPRESSION_ERROR", "CONNECT_ERROR", "ENHANCE_YOUR_CALM",
            "INADEQUATE_SECURITY", "HTTP_1_1_REQUIRED",
        ]
        return rawValue < UInt32(names.count) ? names[Int(rawValue)] : "error code \(rawValue)"
    }
}
