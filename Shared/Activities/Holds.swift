public import SightscreenModels

/// All holds in force at one moment.
public struct Holds: Hashable, Sendable {
    public var everywhere: HoldLevel
    /// The holds of single matches; matches without a hold are absent.
    public var matches: [MatchID: HoldLevel]

    package init(everywhere: HoldLevel = .none, matches: [MatchID: HoldLevel] = [:]) {
        self.everywhere = everywhere
        self.matches = matches
    }

    /// Returns the level in force for a match: the stronger of its own and the one for everywhere.
    public func level(for match: MatchID?) -> HoldLevel { max(everywhere, match.flatMap { matches[$0] } ?? .none) }

    /// Returns the number of holds of a level, including the one for everywhere.
    public func count(of level: HoldLevel) -> Int {
        matches.values.count { $0 == level } + (everywhere == level ? 1 : 0)
    }
}
