/// A match as the provider would have told it: frames in order, each of which can be rendered as the provider's JSON.
///
/// A frame holds positions only; its rows are added up and written when it is asked for, because a Test has two
/// thousand frames of megabytes. See `DeliveryReader`, `TapeScript` and `Scorebook` for how a match becomes that.
public struct Tape: Sendable {
    /// The provider's fixture id under which it plays.
    public let id: Int64
    public let title: String
    public let frames: [TapeFrame]

    let match: CricsheetMatch
    let ids: TapeIDs
    let words: MatchWords
    let deliveries: [TapeDelivery]
    let steps: [TapeStep]
    let stepOffsets: [Int]
    let people: TapePeople

    /// - Parameter id: the fixture's id, above 0; Cricsheet's files are named after it.
    public init(match: CricsheetMatch, id: Int64) {
        precondition(id > 0, "a fixture's id is above 0")
        self.id = id
        self.match = match
        title = match.title
        ids = TapeIDs(fixture: id, people: match.info.registry?.people ?? [:])
        var reader = DeliveryReader(match, ids: ids)
        deliveries = reader.read()
        words = MatchWords(match, deliveries: deliveries)
        var script = TapeScript(match, deliveries: deliveries, words: words)
        script.write()
        frames = script.frames
        steps = script.steps
        stepOffsets = script.stepOffsets
        people = TapePeople(match, ids: ids)
    }

    public func frame(_ index: Int) -> TapeFrame { frames[index] }

    /// The provider's `league_id` and `season_id`.
    public var leagueID: Int64 { words.leagueID }
    public var seasonID: Int64 { StableHash.of("\(words.leagueName) \(match.info.season)") }
    public var homeTeamID: Int64 { TapeIDs.team(match.info.teams[0]) }
    public var awayTeamID: Int64 { TapeIDs.team(match.info.teams[1]) }

    /// The frame that a label means: "S1 19.4" is the last with that ball (a wide has the label of the ball that
    /// replaces it), "Innings Break" the first with that phase. Nil when there is none.
    public func position(of label: String) -> Int? {
        let wanted = label.split(separator: " ").joined(separator: " ")
        return frames.firstIndex { $0.label == wanted } ?? frames.lastIndex { $0.label.hasPrefix(wanted + " ") }
    }
}
