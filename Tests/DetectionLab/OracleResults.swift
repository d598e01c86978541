import ArgumentParser
import FoundationEssentials

/// What Tests/Oracle/events.py counted in one match, from the files that it wrote.
struct OracleResults: Sendable {
    struct Summary: Codable, Sendable {
        struct Innings: Codable, Sendable {
            var innings: Int
            var team: String
            var runs: Int
            var wickets: Int
            var overs: String
        }
        struct Target: Codable, Sendable {
            var innings: Int
            var runs: Int
        }
        var matchType: String
        var innings: [Innings]
        var targets: [Target]
        /// "X won by 10 runs", "Match tied (X won", "No result": as every wording of it begins.
        var result: String
        /// "D/L": how the target was set, if not by play alone.
        var method: String?
    }

    /// In order, as `--events` prints them.
    let lines: [String]
    let summary: Summary

    var counts: [String: Int] { Dictionary(lines.map { ($0, 1) }, uniquingKeysWith: +) }
    /// "145/6 20.0" per innings.
    var totals: [String] { summary.innings.map { "\($0.runs)/\($0.wickets) \($0.overs)" } }
    /// More than twenty overs a side: too much for many seeds.
    var isLong: Bool { !summary.matchType.hasSuffix("T20") }
    /// Test or first-class: innings may be declared.
    var isFirstClass: Bool { summary.matchType == "Test" || summary.matchType == "MDM" }

    init(match: Int64, folder: String) throws {
        func read(_ ending: String) throws -> String {
            let path = "\(folder)/\(match).\(ending)"
            guard let data = FileManager.default.contents(atPath: path) else {
                throw ValidationError("\(path): cannot be read; Tests/Oracle/events.py --write makes it")
            }
            return String(decoding: data, as: UTF8.self)
        }
        lines = try read("events").split(separator: "\n").map(String.init)
        summary = try JSONDecoder().decode(Summary.self, from: Data(try read("summary").utf8))
    }
}
