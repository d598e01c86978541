internal import CZstd

/// Writes a zstd stream piece by piece. Each piece can be read as soon as it is written.
final class TapeCompressor {
    /// The window of 64 MiB finds an answer again in the one before it, even with fifty matches in each.
    static let windowLog: Int32 = 26

    private let context: OpaquePointer
    private var output = [UInt8](repeating: 0, count: ZSTD_CStreamOutSize())

    init() throws(TapeFileError) {
        guard let context = ZSTD_createCCtx() else { throw .compression("no memory") }
        self.context = context
        for (parameter, value) in [
            (ZSTD_c_compressionLevel, 3), (ZSTD_c_windowLog, Self.windowLog), (ZSTD_c_enableLongDistanceMatching, 1),
            (ZSTD_c_checksumFlag, 1),
        ] as [(ZSTD_cParameter, Int32)] {
            try Self.check(ZSTD_CCtx_setParameter(context, parameter, value))
        }
    }

    deinit { ZSTD_freeCCtx(context) }

    /// - Parameter isLast: whether the stream ends with these bytes.
    func compress(_ bytes: [UInt8], isLast: Bool) throws(TapeFileError) -> [UInt8] {
        var written: [UInt8] = []
        var position = 0
        let mode = isLast ? ZSTD_e_end : ZSTD_e_flush
        while true {
            let (left, used, made) = step(bytes, from: position, mode)
            try Self.check(left)
            position += used
            written += output[..<made]
            if left == 0, position == bytes.count { return written }
        }
    }

    private func step(_ bytes: [UInt8], from: Int, _ mode: ZSTD_EndDirective) -> (Int, used: Int, made: Int) {
        let context = context
        return bytes.withUnsafeBytes { source in
            output.withUnsafeMutableBytes { target in
                var input = ZSTD_inBuffer(src: source.baseAddress, size: source.count, pos: from)
                var output = ZSTD_outBuffer(dst: target.baseAddress, size: target.count, pos: 0)
                let left = ZSTD_compressStream2(context, &output, &input, mode)
                return (left, input.pos - from, output.pos)
            }
        }
    }

    private static func check(_ code: Int) throws(TapeFileError) {
        guard ZSTD_isError(code) == 0 else { throw .compression(String(cString: ZSTD_getErrorName(code))) }
    }
}
