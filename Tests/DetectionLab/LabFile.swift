import ArgumentParser
import FoundationEssentials

/// Files that the lab leaves for a script or a person.
enum LabFile {
    static func write(_ bytes: [UInt8], to path: String) throws {
        do {
            try Data(bytes).write(to: URL(filePath: path))
        } catch {
            throw ValidationError("\(path): cannot be written")
        }
    }
}
