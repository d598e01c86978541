/// A match as the provider would have reported it: frames in order, each of which can be rendered as the provider's
/// JSON.
///
/// A frame holds only positions. Its rows are added up and written when it is asked for, because a Test has two
/// thousand frames of megabytes. `DeliveryReader`, `TapeScript` and `Scorebook` make a tape of a match.
public struct Tape: Sendable {
    /// The provider's fixture id under which the tape plays.
    public let id: Int64
    public let title: String
    public let variant: TapeVariant
    /// The seed of the variant's random numbers.
    public let seed: UInt64
    public let frames: [TapeFrame]

    let match: CricsheetMatch
    let ids: TapeIDs
    let words: MatchWords
    let deliveries: [TapeDelivery]
    let steps: [TapeStep]
    let stepOffsets: [Int]
    let people: TapePeople
    let rowIDs: RowIDs

    /// Makes a tape. The same arguments give the same bytes on every machine.
    ///
    /// - Parameters:
    ///   - id: the fixture's id, above 0; Cricsheet's files are named after it.
    ///   - variant: the way in which the provider misbehaves.
    ///   - seed: the seed of the variant's random numbers; a clean tape does not use it.
    public init(match: CricsheetMatch, id: Int64, variant: TapeVariant = .clean, seed: UInt64 = 0) {
        precondition(id > 0, "a fixture's id is above 0")
        self.id = id
        self.match = match
        title = match.title
        ids = TapeIDs(fixture: id, people: match.info.registry?.people ?? [:])
        self.variant = variant
        self.seed = seed
        people = TapePeople(match, ids: ids)
        var reader = DeliveryReader(match, ids: ids)
        let bowled = reader.read()
        words = MatchWords(match, deliveries: bowled)
        var script = TapeScript(match, deliveries: bowled, words: words)
        script.write()
        let perOver = match.info.balls_per_over ?? 6
        var book = Scorebook(rowIDs: RowIDs(ids: ids), ballsPerOver: perOver)
        for (step, offset) in zip(script.steps, script.stepOffsets) { book.apply(step, bowled, at: offset) }
        rowIDs = book.rowIDs
        steps = script.steps
        var variation = TapeVariation(
            script, deliveries: bowled, slips: ScorerSlips(match, deliveries: bowled, people: people),
            hasWinner: match.info.outcome.anyWinner != nil || match.info.outcome.result == "tie", variant: variant,
            seed: seed)
        variation.apply()
        deliveries = variation.deliveries
        stepOffsets = variation.stepOffsets
        frames = variation.frames
    }

    public func frame(_ index: Int) -> TapeFrame { frames[index] }

    /// The provider's `league_id` and `season_id`.
    public var leagueID: Int64 { words.leagueID }
    public var seasonID: Int64 { StableHash.of("\(words.leagueName) \(match.info.season)") }
    public var homeTeamID: Int64 { TapeIDs.team(match.info.teams[0]) }
    public var awayTeamID: Int64 { TapeIDs.team(match.info.teams[1]) }
}
