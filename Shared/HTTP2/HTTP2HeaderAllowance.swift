/// What a peer may still send in header fields on one stream: all blocks together, interim answers and trailers too.
///
/// The size is counted after decompression. One byte on the wire can name a field of 4 KB in HPACK's table, so that a
/// peer within all frame limits makes gigabytes of header fields out of megabytes (RFC 9113, section 10.5.1).
struct HTTP2HeaderAllowance {
    /// Four times what APNs and its clients send.
    static let fieldsMax = 64
    /// Name, value and 32 for each field. It is announced to the peer as SETTINGS_MAX_HEADER_LIST_SIZE.
    static let bytesMax = 16 * 1024
    private static let bytesPerField = 32

    private var fields = 0
    private var bytes = 0

    /// - Returns: false when the field is too much, so that its stream has to be reset.
    mutating func admit(_ nameCount: Int, _ valueCount: Int) -> Bool {
        fields += 1
        bytes += nameCount + valueCount + Self.bytesPerField
        return fields <= Self.fieldsMax && bytes <= Self.bytesMax
    }
}
