/// What is wrong with a tape file.
public enum TapeFileError: Error, Equatable, Sendable {
    /// It is no zstd stream, or its first line is no header.
    case notATape
    case otherVersion(Int)
    /// By the number of the line, from 1.
    case malformed(line: Int, String)
    case tooLarge(line: Int)
    /// The stream is broken after that line, by more than a missing end.
    case damaged(afterLine: Int, String)
    /// The compressor has failed.
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
