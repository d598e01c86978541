#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Makes a tape file: returns the bytes to append to it. Each answer's bytes are flushed, so that a crash loses no
/// answer that was written.
///
/// The format: one zstd stream (window of 64 MiB; `zstd -dc` reads it) of lines of JSON. The first is
/// `{"sightscreenTape":1,"title":"…","recordedAt":"…Z"}`, each further one an answer,
/// `{"atMs":12345,"path":"/livescores","status":200,"body":…}`. `body` is the provider's JSON as it came when it is an
/// object or an array, otherwise its text as a string.
///
/// A writer belongs to one task or actor.
public final class TapeFileWriter {
    private let compressor: TapeCompressor
    private let header: [UInt8]
    private var hasBegun = false
    private var hasEnded = false
    private var lines = 1

    /// - Throws: `TapeFileError.compression` when there is no memory for the compressor.
    public init(_ header: TapeFileHeader) throws(TapeFileError) {
        compressor = try TapeCompressor()
        self.header = Array(
            #"{"sightscreenTape":\#(TapeFileHeader.version),"title":\#(try Self.quoted(header.title)),"recordedAt":\#(try Self.quoted(header.recordedAt))}"#
                .utf8)
    }

    /// - Returns: the bytes to append to the file; the first ones include its header.
    /// - Throws: `TapeFileError.tooLarge` for a body over 64 MiB, after which the tape can be continued.
    public func append(_ answer: RecordedAnswer) throws(TapeFileError) -> [UInt8] {
        precondition(!hasEnded, "nothing is written after the end of a tape")
        guard answer.body.count <= RecordedAnswer.bodyBytesMax else { throw .tooLarge(line: lines + 1) }
        var line = try begin()
        line += Array(
            #"{"atMs":\#(answer.atMs),"path":\#(try Self.quoted(answer.path)),"status":\#(answer.status),"body":"#.utf8)
        if JSONSpan.isContainer(answer.body) {
            // JSON has no line feeds inside its strings.
            line += answer.body.lazy.map { $0 == 0x0a || $0 == 0x0d ? 0x20 : $0 }
        } else {
            line += Array(try Self.quoted(String(decoding: answer.body, as: UTF8.self)).utf8)
        }
        line += [0x7d, 0x0a]
        lines += 1
        return try compressor.compress(line, isLast: false)
    }

    /// - Returns: the last bytes of the file. Without them a reader reports that the tape's end is missing.
    public func finish() throws(TapeFileError) -> [UInt8] {
        precondition(!hasEnded, "a tape ends once")
        let rest = try begin()
        hasEnded = true
        return try compressor.compress(rest, isLast: true)
    }

    private func begin() throws(TapeFileError) -> [UInt8] {
        guard !hasBegun else { return [] }
        hasBegun = true
        return header + [0x0a]
    }

    private static func quoted(_ text: String) throws(TapeFileError) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        do { return String(decoding: try encoder.encode(text), as: UTF8.self) } catch {
            throw .compression("\(error)")
        }
    }
}
