internal import CZstd

/// Reads a zstd stream piece by piece.
final class TapeDecompressor {
    /// Bytes read in one step; a small step loses little when it fails, because its output is lost.
    private static let step = 4_096

    private let context: OpaquePointer
    private var output = [UInt8](repeating: 0, count: 256 << 10)
    /// Whether a zstd frame has begun and not ended, so that more bytes must follow.
    private(set) var isInside = false

    init() throws(TapeFileError) {
        guard let context = ZSTD_createDCtx() else { throw .compression("no memory") }
        self.context = context
    }

    deinit { ZSTD_freeDCtx(context) }

    /// Inflates up to 256 KiB more.
    ///
    /// - Parameter position: the position in the bytes; it moves past those that were read.
    /// - Returns: the inflated text, and the library's message when something is wrong.
    func inflate(_ bytes: [UInt8], from position: inout Int) -> (text: ArraySlice<UInt8>, problem: String?) {
        let (context, start) = (context, position)
        let (left, used, made) = bytes.withUnsafeBytes { source in
            output.withUnsafeMutableBytes { target in
                let end = min(source.count, start + Self.step)
                var input = ZSTD_inBuffer(src: source.baseAddress, size: end, pos: start)
                var output = ZSTD_outBuffer(dst: target.baseAddress, size: target.count, pos: 0)
                let left = ZSTD_decompressStream(context, &output, &input)
                return (left, input.pos - start, output.pos)
            }
        }
        position += used
        if ZSTD_isError(left) != 0 { return ([], String(cString: ZSTD_getErrorName(left))) }
        if used > 0 || made > 0 { isInside = left != 0 }
        return (output[..<made], nil)
    }
}
