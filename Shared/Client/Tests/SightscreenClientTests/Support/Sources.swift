import FoundationEssentials
import Testing

/// The files of this repository, found from the path of the tests.
enum Sources {
    static let top = URL(filePath: #filePath).resolvingSymlinksInPath().path
        .split(separator: "/").dropLast(6).reduce(into: "") { $0 += "/\($1)" }

    static func lines(_ path: String) throws -> [String] {
        let data = try #require(FileManager.default.contents(atPath: "\(top)/\(path)"), "there is no \(path)")
        return String(decoding: data, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
            .map { String($0) }
    }

    /// Returns all Swift files of a folder, as paths from the repository's top.
    static func swift(_ folder: String) throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: "\(top)/\(folder)").filter { $0.hasSuffix(".swift") }
            .map { "\(folder)/\($0)" }
    }
}
