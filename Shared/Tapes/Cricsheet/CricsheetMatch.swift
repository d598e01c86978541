#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// One match as Cricsheet writes it (JSON, format 1.0 and 1.1): the deliveries, the people and the result.
///
/// Only the parts that a tape needs are read; names are kept verbatim. See <https://cricsheet.org/format/json/>.
public struct CricsheetMatch: Sendable {
    let info: CricsheetInfo
    let innings: [CricsheetInnings]

    /// - Throws: `CricsheetError` when the bytes are not a Cricsheet match.
    public init(json: [UInt8]) throws(CricsheetError) {
        struct File: Decodable {
            var info: CricsheetInfo
            var innings: [CricsheetInnings]
        }
        let file: File
        do {
            file = try JSONDecoder().decode(File.self, from: Data(json))
        } catch {
            throw CricsheetError(problem: "not a Cricsheet match: \(error)")
        }
        guard file.info.teams.count == 2 else {
            throw CricsheetError(problem: "a match has two teams, not \(file.info.teams.count)")
        }
        for innings in file.innings where !file.info.teams.contains(innings.team) {
            throw CricsheetError(problem: "\(innings.team) bats, but does not play in this match")
        }
        info = file.info
        innings = file.innings
    }

    /// The title: "Rajasthan Royals v Kolkata Knight Riders, 2022-04-18".
    public var title: String {
        let teams = info.teams.joined(separator: " v ")
        return info.dates.first.map { "\(teams), \($0)" } ?? teams
    }
}
