import FoundationEssentials
import TapeFile
import Tapes

/// The matches of a folder: Cricsheet's JSON files, and recorded tapes (`<name>.tape`).
struct TapeLibrary: Sendable {
    struct Entry: Codable, Sendable {
        var tapeId: String
        var title: String
    }

    let folder: String

    static func isFolder(_ path: String) -> Bool {
        var isFolder = false
        return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && isFolder
    }

    /// The path of a tape's file; nil when there is none, and for text that cannot be a tape's id.
    func path(of id: String) -> String? {
        guard (1...18).contains(id.count), id.utf8.allSatisfy({ (0x30...0x39).contains($0) }), id.first != "0" else {
            return nil
        }
        let path = "\(folder)/\(id).json"
        return FileManager.default.fileExists(atPath: path) ? path : nil
    }

    /// - Returns: the match; nil when there is no such tape.
    /// - Throws: `CricsheetError` when its file is not a match.
    func match(_ id: String) throws -> CricsheetMatch? {
        guard let path = path(of: id), let data = FileManager.default.contents(atPath: path) else { return nil }
        return try CricsheetMatch(json: [UInt8](data))
    }

    /// The bytes of a recorded tape; nil when there is none, and for text that cannot be its name.
    func recording(_ name: String) -> [UInt8]? {
        guard (1...64).contains(name.count), name.first != ".", name.utf8.allSatisfy(Self.isNamePart),
            let data = FileManager.default.contents(atPath: "\(folder)/\(name).tape")
        else { return nil }
        return [UInt8](data)
    }

    /// Whether a tape has this id or name.
    func has(_ id: String) -> Bool { path(of: id) != nil || recording(id) != nil }

    private static func isNamePart(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x5a).contains(byte) || (0x61...0x7a).contains(byte)
            || [0x2d, 0x2e, 0x5f].contains(byte)
    }

    /// Every match of the folder by id, then every recorded tape by name; other files are left out.
    func entries() -> [Entry] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        let ids = names.compactMap { name in name.hasSuffix(".json") ? Int64(name.dropLast(5)) : nil }.sorted()
        let matches = ids.compactMap { id -> Entry? in
            guard let match = try? self.match(String(id)) else { return nil }
            return Entry(tapeId: String(id), title: match.title)
        }
        let recordings = names.filter { $0.hasSuffix(".tape") }.map { String($0.dropLast(5)) }.sorted()
        return matches
            + recordings.compactMap { name in
                guard let file = recording(name), let reader = try? TapeFileReader(bytes: file) else { return nil }
                return Entry(tapeId: name, title: reader.header.title)
            }
    }
}
