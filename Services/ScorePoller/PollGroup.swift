import ServiceKit

/// The matches that one poller fetches with one call: all, or those of some leagues.
public struct PollGroup: Sendable, Hashable {
    public var name: String
    /// The provider's league ids; empty for all leagues.
    public var leagues: [Int64]

    package init(name: String, leagues: [Int64]) {
        self.name = name
        self.leagues = leagues
    }

    public static let all = PollGroup(name: "all", leagues: [])

    /// Reads `POLL_GROUPS`: `name=leagueId,leagueId;name=…`.
    /// - Throws: `ConfigurationError`.
    static func parse(_ text: String) throws -> [PollGroup] {
        func problem(_ part: some StringProtocol) -> ConfigurationError {
            ConfigurationError(
                setting: "POLL_GROUPS", problem: "\"\(part)\" is not like name=3,5; write groups as a=1,2;b=3")
        }
        var groups: [PollGroup] = []
        for part in text.split(separator: ";") {
            let sides = part.split(separator: "=", omittingEmptySubsequences: false)
            guard sides.count == 2, !sides[0].isEmpty,
                sides[0].utf8.allSatisfy({ ($0 | 0x20) >= 0x61 && ($0 | 0x20) <= 0x7A || $0 >= 0x30 && $0 <= 0x39 })
            else { throw problem(part) }
            let leagues = sides[1].split(separator: ",", omittingEmptySubsequences: false).map { Int64($0) }
            guard !leagues.isEmpty, leagues.allSatisfy({ ($0 ?? 0) > 0 }) else { throw problem(part) }
            groups.append(PollGroup(name: String(sides[0]), leagues: leagues.compactMap { $0 }))
        }
        let leagues = groups.flatMap(\.leagues)
        if let twice = leagues.first(where: { league in leagues.count { $0 == league } > 1 }) {
            throw ConfigurationError(
                setting: "POLL_GROUPS", problem: "league \(twice) is named twice; its matches would be fetched twice")
        }
        guard !groups.isEmpty, Set(groups.map(\.name)).count == groups.count else { throw problem(text) }
        return groups
    }
}
