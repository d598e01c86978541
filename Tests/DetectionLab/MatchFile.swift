import ArgumentParser
import FoundationEssentials
import Tapes

/// A match in Cricsheet's JSON, named after its id.
struct MatchFile: Sendable {
    let path: String
    let id: Int64
    let match: CricsheetMatch

    init(_ path: String) throws {
        let name = path.split(separator: "/").last ?? ""
        guard name.hasSuffix(".json"), let id = Int64(name.dropLast(5)), id > 0 else {
            throw ValidationError("\(path): a match is named after its id, like 1304076.json")
        }
        guard let data = FileManager.default.contents(atPath: path) else {
            throw ValidationError("\(path): cannot be read")
        }
        self.path = path
        self.id = id
        do {
            match = try CricsheetMatch(json: [UInt8](data))
        } catch {
            throw ValidationError("\(path): \(error)")
        }
    }

    /// Every match of a folder, by id.
    static func all(in folder: String) throws -> [MatchFile] {
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: folder) else {
            throw ValidationError("\(folder): cannot be read")
        }
        let files = try names.filter { $0.hasSuffix(".json") }.map { try MatchFile("\(folder)/\($0)") }
        guard !files.isEmpty else { throw ValidationError("\(folder): there is no match in it") }
        return files.sorted { $0.id < $1.id }
    }

    func tape(_ variant: TapeVariant = .clean, seed: UInt64 = 0) -> Tape {
        Tape(match: match, id: id, variant: variant, seed: seed)
    }
}
