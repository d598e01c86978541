#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Reads a tape file answer by answer, with only one answer and a window of 64 MiB in memory at a time.
///
/// A reader belongs to one task or actor.
public final class TapeFileReader {
    /// The longest line read: the largest body and the members around it. Escapes can make a text body six times as
    /// long, and such a line is refused.
    private static let lineBytesMax = RecordedAnswer.bodyBytesMax + (64 << 10)

    public let header: TapeFileHeader
    /// Whether the end of the file is missing, as after a crash of the recorder. It is known once `next` has returned
    /// nil.
    public private(set) var isCut = false

    private var lines: Lines

    /// - Parameter read: returns the next bytes of the file, and none at its end.
    /// - Throws: `TapeFileError`, or what `read` throws.
    public init(_ read: @escaping () throws -> [UInt8]) throws {
        var lines = Lines(decompressor: try TapeDecompressor(), read: read)
        guard let line = try lines.next() else { throw TapeFileError.notATape }
        header = try Self.header(line)
        self.lines = lines
    }

    /// Reads a tape that is in memory.
    public convenience init(bytes: [UInt8]) throws {
        var rest = bytes[...]
        try self.init {
            defer { rest = rest.dropFirst(64 << 10) }
            return Array(rest.prefix(64 << 10))
        }
    }

    /// - Returns: the next answer; nil at the end.
    /// - Throws: `TapeFileError`, or what the reading closure throws.
    public func next() throws -> RecordedAnswer? {
        guard let line = try lines.next() else {
            isCut = lines.isCut
            return nil
        }
        return try Self.answer(line, number: lines.number)
    }

    private static func header(_ line: [UInt8]) throws -> TapeFileHeader {
        struct Header: Decodable {
            var sightscreenTape: Int
            var title: String?
            var recordedAt: String?
        }
        guard let header = try? JSONDecoder().decode(Header.self, from: Data(line)) else {
            throw TapeFileError.notATape
        }
        guard header.sightscreenTape == TapeFileHeader.version else {
            throw TapeFileError.otherVersion(header.sightscreenTape)
        }
        return TapeFileHeader(title: header.title ?? "", recordedAt: header.recordedAt ?? "")
    }

    private static func answer(_ line: [UInt8], number: Int) throws -> RecordedAnswer {
        guard let members = JSONSpan.members(line) else {
            throw TapeFileError.malformed(line: number, "not a JSON object")
        }
        func member<Value: Decodable>(_ name: String, _ type: Value.Type) throws -> Value {
            guard let place = members[name] else { throw TapeFileError.malformed(line: number, "no \(name)") }
            guard let value = try? JSONDecoder().decode(type, from: Data(line[place])) else {
                throw TapeFileError.malformed(line: number, "\(name) is of another type")
            }
            return value
        }
        let atMs = try member("atMs", Int64.self)
        let path = try member("path", String.self)
        let status = try member("status", Int.self)
        guard let place = members["body"] else { throw TapeFileError.malformed(line: number, "no body") }
        let isText = line[place.lowerBound] == UInt8(ascii: "\"")
        let body = isText ? Array(try member("body", String.self).utf8) : Array(line[place])
        guard body.count <= RecordedAnswer.bodyBytesMax else { throw TapeFileError.tooLarge(line: number) }
        return RecordedAnswer(atMs: atMs, path: path, status: status, body: body)
    }

    /// The lines of the stream.
    private struct Lines {
        let decompressor: TapeDecompressor
        let read: () throws -> [UInt8]
        /// The number of the line returned last, from 1.
        var number = 0
        var isCut = false
        private var compressed: [UInt8] = []
        private var position = 0
        private var isAtEnd = false
        private var text: [UInt8] = []
        /// Bytes of the text that were returned, or already searched for a line feed.
        private var given = 0
        private var searched = 0

        init(decompressor: TapeDecompressor, read: @escaping () throws -> [UInt8]) {
            self.decompressor = decompressor
            self.read = read
        }

        mutating func next() throws -> [UInt8]? {
            while true {
                if let end = text[searched...].firstIndex(of: 0x0a) {
                    let line = Array(text[given..<end])
                    given = end + 1
                    searched = given
                    number += 1
                    return line
                }
                text.removeFirst(given)
                given = 0
                searched = text.count
                guard text.count <= TapeFileReader.lineBytesMax else {
                    throw TapeFileError.tooLarge(line: number + 1)
                }
                guard try more() else { return nil }
            }
        }

        /// - Returns: false at the end.
        private mutating func more() throws -> Bool {
            if position == compressed.count, !isAtEnd {
                compressed = try read()
                position = 0
                isAtEnd = compressed.isEmpty
            }
            let before = position
            let (inflated, problem) = decompressor.inflate(compressed, from: &position)
            if let problem {
                let isCompressed = before > 0 || compressed.starts(with: [0x28, 0xb5, 0x2f, 0xfd])
                throw isCompressed ? TapeFileError.damaged(afterLine: number, problem) : .notATape
            }
            text += inflated
            if isAtEnd, inflated.isEmpty, position == before {
                isCut = decompressor.isInside || !text.isEmpty
                return false
            }
            return true
        }
    }
}
