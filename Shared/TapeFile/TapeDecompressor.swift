internal import CZstd

/// Reads a zstd stream piece by piece.
final class TapeDecompressor {
    /// Bytes to read at once: what is inflated in a step that fails is lost.
    private static let step = 4_096

    private let context: OpaquePointer
    private var output = [UInt8](repeating: 0, count: 256 << 10)
    /// A zstd frame has begun and not ended: more has to come.
    private(set) var isInside = false

    init() throws(TapeFileError) {
        guard let context = ZSTD_createDCtx() else { throw .compression("no memory") }
        self.context = context
    }

    deinit { ZSTD_freeDCtx(context) }

    /// Inflates up to 256 KiB more.
    ///
    /// - Parameter position: in the bytes; moves over what was read.
    /// - Returns: what was inflated, or the library's word for what is wrong.
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
