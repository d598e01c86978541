import FoundationEssentials
import Testing

/// Compares bytes with the file of that name in `Goldens/`. A test run with `GOLDENS=write` writes it instead.
func expectGolden(_ bytes: [UInt8], _ name: String, location: SourceLocation = #_sourceLocation) throws {
    let folder = #filePath.split(separator: "/").dropLast().joined(separator: "/")
    let path = "/\(folder)/Goldens/\(name)"
    if ProcessInfo.processInfo.environment["GOLDENS"] == "write" { try Data(bytes).write(to: URL(filePath: path)) }
    let golden = try Data(contentsOf: URL(filePath: path))
    #expect(
        bytes == [UInt8](golden), "\(name) is now \(String(decoding: bytes, as: UTF8.self))", sourceLocation: location)
}
