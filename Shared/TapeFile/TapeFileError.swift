/// The errors of reading and writing a tape file.
public enum TapeFileError: Error, Equatable, Sendable {
    /// The file is no zstd stream, or its first line is no header.
    case notATape
    case otherVersion(Int)
    /// A line cannot be read; lines count from 1.
    case malformed(line: Int, String)
    case tooLarge(line: Int)
    /// The stream is broken after this line by more than a missing end.
    case damaged(afterLine: Int, String)
    /// The compressor failed.
    case compression(String)
}

extension TapeFileError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .notATape: "not a recorded tape"
        case .otherVersion(let version):
            "a tape of version \(version), but only version \(TapeFileHeader.version) can be read"
        case .malformed(let line, let problem): "line \(line) of the tape is malformed: \(problem)"
        case .tooLarge(let line): "line \(line) of the tape has an answer over 64 MiB"
        case .damaged(let line, let problem): "the tape is damaged after line \(line): \(problem)"
        case .compression(let problem): "the tape cannot be compressed: \(problem)"
        }
    }
}
