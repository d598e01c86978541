/// One fixture of an answer, read and made slim in one go.
struct RawFixture: Decodable {
    var slim: SlimFixture
    /// Rows that were left out, and why.
    var problems: [AnswerProblem] = []

    init(from decoder: any Decoder) throws {
        let row = try decoder.container(keyedBy: AnyKey.self)
        let id = try row.required("id")
        func team(_ idKey: AnyKey, _ key: AnyKey) throws -> SlimTeam {
            let included = row.included(key, as: RawName.self)
            guard let teamID = row.id(idKey) ?? included?.id else {
                throw BrokenFixture(id: id, "no \(idKey.stringValue)")
            }
            return SlimTeam(id: teamID, name: included?.name, code: included?.code)
        }
        let league = row.included("league", as: RawName.self)
        let season = row.included("season", as: RawName.self)
        let stage = row.included("stage", as: RawName.self)
        let venue = row.included("venue", as: RawName.self)
        slim = SlimFixture(
            id: id, leagueID: row.id("league_id") ?? league?.id, leagueName: league?.name, leagueCode: league?.code,
            seasonID: row.id("season_id"), seasonName: season?.name, stageID: row.id("stage_id"),
            stageName: stage?.name, round: row.text("round") ?? "", home: try team("localteam_id", "localteam"),
            away: try team("visitorteam_id", "visitorteam"), startsAt: row.time("starting_at"), type: row.text("type"),
            status: row.text("status") ?? "", note: row.text("note"), venueName: venue?.name, venueCity: venue?.city,
            tossWonTeamID: row.id("toss_won_team_id"), elected: row.text("elected"),
            winnerTeamID: row.id("winner_team_id"), drawNoResult: row.text("draw_noresult"),
            scheduledOvers: row.count("total_overs_played"), revisedOvers: row.double("rpc_overs"),
            revisedTarget: row.count("rpc_target"), superOver: row.flag("super_over") ?? false,
            followOn: row.flag("follow_on") ?? false)
        readRows(row)
    }

    private mutating func readRows(_ row: KeyedDecodingContainer<AnyKey>) {
        var players: [Int64: SlimPlayer] = [:]
        for player in kept(row.list("lineup", of: RawPlayer.self), "line-up entry") {
            players[player.slim.id] = player.slim
        }
        slim.runs = kept(row.list("runs", of: RawRuns.self), "runs row").map(\.slim).sorted { $0.innings < $1.innings }
        slim.scoreboards = kept(row.list("scoreboards", of: RawScoreboard.self), "scoreboard").map(\.slim)
        for entry in kept(row.list("batting", of: RawBatting.self), "batting row") {
            slim.batting.append(entry.slim)
            for player in entry.players { players[player.id] = player }
        }
        for entry in kept(row.list("bowling", of: RawBowling.self), "bowling row") {
            slim.bowling.append(entry.slim)
            for player in entry.players { players[player.id] = player }
        }
        var places: [SlimScore: Int] = [:]
        for ball in kept(row.list("balls", of: RawBall.self), "ball").sorted(by: { $0.slim.id < $1.slim.id }) {
            // The same id twice: the later row is the provider's later word.
            if slim.balls.last?.id == ball.slim.id { slim.balls.removeLast() }
            var slimBall = ball.slim
            slimBall.score = places[ball.score] ?? slim.scores.count
            if places[ball.score] == nil {
                places[ball.score] = slim.scores.count
                slim.scores.append(ball.score)
            }
            slim.balls.append(slimBall)
            for player in ball.players { players[player.id] = player }
        }
        slim.batting.sort { ($0.innings, $0.sort) < ($1.innings, $1.sort) }
        slim.bowling.sort { ($0.innings, $0.sort) < ($1.innings, $1.sort) }
        slim.players = players.values.sorted { $0.id < $1.id }
    }

    /// The rows that could be read; the others are noted.
    private mutating func kept<Value>(_ rows: [Lossy<Value>], _ what: String) -> [Value] {
        for problem in rows.compactMap(\.problem) {
            problems.append(AnswerProblem(fixtureID: slim.id, text: "\(what) left out: \(problem)"))
        }
        return rows.compactMap(\.value)
    }
}
