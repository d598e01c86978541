import FoundationEssentials
import Tapes

/// The matches of a folder.
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

    /// Where a tape's file is; nil when there is none, and for what cannot be a tape's id.
    func path(of id: String) -> String? {
        guard (1...18).contains(id.count), id.utf8.allSatisfy({ (0x30...0x39).contains($0) }), id.first != "0" else {
            return nil
        }
        let path = "\(folder)/\(id).json"
        return FileManager.default.fileExists(atPath: path) ? path : nil
    }

    /// - Returns: nil when there is no such tape.
    /// - Throws: `CricsheetError` when its file is not a match.
    func match(_ id: String) throws -> CricsheetMatch? {
        guard let path = path(of: id), let data = FileManager.default.contents(atPath: path) else { return nil }
        return try CricsheetMatch(json: [UInt8](data))
    }

    /// Every match of the folder, by id; files that are none are left out.
    func entries() -> [Entry] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        let ids = names.compactMap { name in name.hasSuffix(".json") ? Int64(name.dropLast(5)) : nil }.sorted()
        return ids.compactMap { id in
            guard let match = try? self.match(String(id)) else { return nil }
            return Entry(tapeId: String(id), title: match.title)
        }
    }
}
