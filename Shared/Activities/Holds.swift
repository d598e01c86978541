public import SightscreenModels

/// All that is held at one moment.
public struct Holds: Hashable, Sendable {
    public var everywhere: HoldLevel
    /// Only those at which something is held.
    public var matches: [MatchID: HoldLevel]

    public init(everywhere: HoldLevel = .none, matches: [MatchID: HoldLevel] = [:]) {
        self.everywhere = everywhere
        self.matches = matches
    }

    /// What holds for a match: the stronger of its own and the one for everywhere.
    public func level(for match: MatchID?) -> HoldLevel { max(everywhere, match.flatMap { matches[$0] } ?? .none) }

    /// How many holds there are of a level, the one for everywhere included.
    public func count(of level: HoldLevel) -> Int {
        matches.values.count { $0 == level } + (everywhere == level ? 1 : 0)
    }
}
