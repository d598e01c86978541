import SightscreenModels

/// One fixture of an answer, read into its slim form in one pass.
struct RawFixture: Sendable {
    var slim: SlimFixture
    /// The first rows that were left out, with the reasons.
    var problems: [AnswerProblem] = []

    /// - Parameters:
    ///   - row: an object.
    ///   - isScheduled: whether a side may be open, as in a final before its semi-finals.
    init(_ row: JSONValue, isScheduled: Bool = false) throws(BrokenFixture) {
        guard let id = row.id("id") else { throw BrokenFixture(id: nil, "no id") }
        let league = row.included("league", as: RawName.self)
        let season = row.included("season", as: RawName.self)
        let stage = row.included("stage", as: RawName.self)
        let venue = row.included("venue", as: RawName.self)
        slim = SlimFixture(
            id: id, leagueID: row.id("league_id") ?? league?.id, leagueName: league?.name, leagueCode: league?.code,
            seasonID: row.id("season_id"), seasonName: season?.name, stageID: row.id("stage_id"),
            stageName: stage?.name, round: row.text("round") ?? "",
            home: try Self.team(row, "localteam_id", "localteam", of: id, mayBeOpen: isScheduled),
            away: try Self.team(row, "visitorteam_id", "visitorteam", of: id, mayBeOpen: isScheduled),
            startsAt: row.time("starting_at"),
            type: row.text("type"), status: row.text("status") ?? "", note: row.text("note"), venueName: venue?.name,
            venueCity: venue?.city, tossWonTeamID: row.id("toss_won_team_id"), elected: row.text("elected"),
            winnerTeamID: row.id("winner_team_id"), drawNoResult: row.text("draw_noresult"),
            scheduledOvers: row.count("total_overs_played"), revisedOvers: row.double("rpc_overs"),
            revisedTarget: row.count("rpc_target"), homeRevision: row["localteam_dl_data"].flatMap(SlimRevision.init),
            awayRevision: row["visitorteam_dl_data"].flatMap(SlimRevision.init),
            superOver: row.flag("super_over") ?? false,
            followOn: row.flag("follow_on") ?? false)
        var players = PlayerTable()
        readLineup(row, &players)
        slim.runs = kept(row, "runs", "runs row", RawRuns.self).map(\.0.slim).sorted { $0.innings < $1.innings }
        slim.scoreboards = kept(row, "scoreboards", "scoreboard", RawScoreboard.self).map(\.0.slim)
        readFigures(row, &players)
        readBalls(row, &players)
        slim.players = players.sorted
    }

    private static func team(
        _ row: JSONValue, _ idKey: JSONKey, _ key: JSONKey, of fixture: Int64, mayBeOpen: Bool
    ) throws(BrokenFixture) -> SlimTeam {
        let included = row.included(key, as: RawName.self)
        guard let teamID = row.id(idKey) ?? included?.id else {
            if mayBeOpen { return .open }
            throw BrokenFixture(id: fixture, "no \(idKey)")
        }
        return SlimTeam(
            id: teamID, name: included?.name, code: CountryCode.code(included?.code, of: included?.name),
            logo: logo(included?.image))
    }

    /// The address of a team's logo. Phones download from it, so nothing but an address of bounded length is taken; the
    /// provider's stand-in for a missing image is no logo.
    private static func logo(_ image: String?) -> String? {
        image.flatMap { ImageAddress.isGood($0) && !$0.hasSuffix("/placeholder.png") ? $0 : nil }
    }

    private mutating func readLineup(_ row: JSONValue, _ players: inout PlayerTable) {
        for (player, _) in kept(row, "lineup", "line-up entry", RawPlayer.self) { players.add(player.slim) }
    }

    private mutating func readFigures(_ row: JSONValue, _ players: inout PlayerTable) {
        for (batting, source) in kept(row, "batting", "batting row", RawBatting.self) {
            slim.batting.append(batting.slim)
            players.add(from: source, RawBatting.playerKeys)
        }
        for (bowling, source) in kept(row, "bowling", "bowling row", RawBowling.self) {
            slim.bowling.append(bowling.slim)
            players.add(from: source, RawBowling.playerKeys)
        }
        slim.batting.sort { ($0.innings, $0.sort) < ($1.innings, $1.sort) }
        slim.bowling.sort { ($0.innings, $0.sort) < ($1.innings, $1.sort) }
    }

    private mutating func readBalls(_ row: JSONValue, _ players: inout PlayerTable) {
        var table = ScoreTable()
        var balls: [RawBall] = []
        let rows = row.rows("balls")
        balls.reserveCapacity(rows.count)
        for ball in rows {
            do throws(RowProblem) {
                guard ball.isObject else { throw .notAnObject }
                balls.append(try RawBall(ball, scores: &table))
            } catch {
                note("ball", error)
            }
        }
        slim.balls.reserveCapacity(balls.count)
        // The position of each of the table's scores in the fixture's, which are numbered in the order of the balls.
        var places = [Int?](repeating: nil, count: table.scores.count)
        for ball in balls.sorted(by: { $0.slim.id < $1.slim.id }) {
            // Of two rows with the same id, the later row is the provider's later word.
            if slim.balls.last?.id == ball.slim.id { slim.balls.removeLast() }
            var slimBall = ball.slim
            let place = places[ball.slim.score] ?? slim.scores.count
            if place == slim.scores.count {
                slim.scores.append(table.scores[ball.slim.score])
                places[ball.slim.score] = place
            }
            slimBall.score = place
            slim.balls.append(slimBall)
            players.add(from: ball.row, RawBall.playerKeys)
        }
    }

    /// The rows of a list that could be read, each with its source; the others are noted as problems.
    private mutating func kept<Row: ProviderRow>(
        _ row: JSONValue, _ key: JSONKey, _ what: String, _ type: Row.Type
    ) -> [(Row, JSONValue)] {
        row.rows(key).compactMap { source in
            do throws(RowProblem) {
                guard source.isObject else { throw .notAnObject }
                return (try Row(source), source)
            } catch {
                note(what, error)
                return nil
            }
        }
    }

    /// The most problems noted: the first ones show what is wrong, and a log has no use for thousands.
    private static let problemsMax = 20

    private mutating func note(_ what: String, _ problem: RowProblem) {
        guard problems.count < Self.problemsMax else { return }
        problems.append(AnswerProblem(fixtureID: slim.id, text: "\(what) left out: \(problem)"))
    }
}
