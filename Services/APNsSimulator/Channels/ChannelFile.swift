import FoundationEssentials
import Glibc
import SightscreenModels

/// The file in which channels survive a restart: a line for each channel that was made or deleted, in order.
struct ChannelFile: Sendable {
    struct Line: Codable, Sendable, Hashable {
        var id: String
        var environment: APNsEnvironment
        /// The storage policy; nil when the channel was deleted.
        var policy: Int?
    }

    private let path: String

    /// - Parameter folder: made if it does not exist.
    init(folder: String) throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        path = "\(folder)/channels.ndjson"
    }

    /// Returns the lines; none when there is no file. A line that a dying process did not finish is left out.
    func lines() throws -> [Line] {
        guard FileManager.default.fileExists(atPath: path) else { return [] }
        return try Data(contentsOf: URL(filePath: path)).split(separator: UInt8(ascii: "\n"))
            .compactMap { try? JSONDecoder().decode(Line.self, from: $0) }
    }

    /// Writes the whole file.
    func replace(_ lines: [Line]) throws {
        try Data(try lines.map(Self.bytes).joined()).write(to: URL(filePath: path), options: .atomic)
    }

    /// Adds lines.
    func append(_ lines: [Line]) throws {
        let bytes = Array(try lines.map(Self.bytes).joined())
        let file = open(path, O_WRONLY | O_APPEND | O_CREAT, 0o600)
        guard file >= 0 else { throw Failure() }
        defer { close(file) }
        guard write(file, bytes, bytes.count) == bytes.count else { throw Failure() }
    }

    /// The file cannot be written.
    struct Failure: Error {}

    private static func bytes(_ line: Line) throws -> Data {
        var data = try JSONEncoder().encode(line)
        data.append(UInt8(ascii: "\n"))
        return data
    }
}
