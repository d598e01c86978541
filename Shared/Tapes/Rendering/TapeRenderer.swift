import SportMonks

/// Writes one frame of a tape as the provider's JSON, from figures that are added up already.
struct TapeRenderer {
    /// The provider's country of teams that belong to no country.
    static let worldCountryID: Int64 = 190_324
    static let placeholder = "https://cdn.sportmonks.com/images/cricket/placeholder.png"
    /// The `updated_at` of members that do not change during a match.
    static let referenceDate = "2026-01-01T00:00:00.000000Z"

    let tape: Tape
    let frame: TapeFrame
    let clock: TapeClock
    let includes: FixtureIncludes
    /// The figures for `batting` and `bowling`.
    let figures: Scorebook
    /// The figures for `runs` and `scoreboards`.
    let totals: Scorebook

    /// - Parameters:
    ///   - bytes: the approximate number of bytes of the result.
    ///   - balls: writes the array of balls.
    func fixture(bytes: Int, balls: (inout JSONBytes) -> Void) -> [UInt8] {
        var json = JSONBytes(capacity: bytes)
        json.object { json in
            scalars(&json)
            if includes.has("league") { json.field("league", raw: league()) }
            if includes.has("season") { json.field("season", raw: season()) }
            for (name, team) in [("localteam", tape.match.info.teams[0]), ("visitorteam", tape.match.info.teams[1])]
            where includes.has(name) {
                json.field(name, raw: tape.json(team: team))
            }
            if includes.has("batting") { batting(&json) }
            if includes.has("bowling") { bowling(&json) }
            if includes.has("runs") { runs(&json) }
            if includes.has("scoreboards") { scoreboards(&json) }
            if includes.has("lineup") { lineup(&json) }
            if includes.has("balls") {
                json.key("balls")
                json.array(balls)
            }
            people(&json)
            if includes.has("venue") { json.field("venue", raw: venue()) }
            if includes.has("stage") { json.field("stage", raw: stage()) }
        }
        return json.bytes
    }

    // MARK: The fixture's own members

    private func scalars(_ json: inout JSONBytes) {
        let info = tape.match.info
        let words = tape.words
        json.field("resource", "fixtures")
        json.field("id", tape.id)
        json.field("league_id", words.leagueID)
        json.field("season_id", seasonID)
        json.field("stage_id", stageID)
        json.field("round", words.round)
        json.field("localteam_id", tape.homeTeamID)
        json.field("visitorteam_id", tape.awayTeamID)
        json.field("starting_at", ProviderTime.text(clock.startsAt))
        json.field("type", words.type)
        json.field("live", true)
        json.field("status", frame.status)
        json.field("last_period", nil as String?)
        json.field("note", frame.note)
        json.field("venue_id", info.venue.map(StableHash.of))
        json.field("toss_won_team_id", tossWinner.map(TapeIDs.team))
        json.field("winner_team_id", winner.map(TapeIDs.team))
        json.field("draw_noresult", frame.result == .known ? drawnOutcome : nil)
        for (name, person) in officials { json.field("\(name)_id", person.map(tape.ids.person)) }
        json.field("man_of_match_id", playerOfMatch)
        json.field("man_of_series_id", nil as Int64?)
        json.field("total_overs_played", info.overs.map(Int64.init))
        json.field("elected", frame.hasToss ? elected : nil)
        json.field("super_over", frame.superOver)
        json.field("follow_on", frame.followOn)
        for side in ["localteam_dl_data", "visitorteam_dl_data"] {
            json.field(side, raw: #"{"score":null,"overs":null,"wickets_out":null}"#)
        }
        let revised = frame.isRevised && tape.match.innings.count > 1 ? tape.match.innings[1].target : nil
        json.field("rpc_overs", revised?.overs.map(Self.number))
        json.field("rpc_target", revised?.runs.map(String.init))
        json.field("weather_report", raw: "[]")
    }

    private var tossWinner: String? { frame.hasToss ? tape.match.info.toss?.winner : nil }

    private var elected: String? {
        switch tape.match.info.toss?.decision {
        case "bat": "batting"
        case "field": "bowling"
        default: nil
        }
    }

    private var winner: String? {
        switch frame.result {
        case .unknown: nil
        case .wrong: tape.match.info.teams.first { $0 != tape.match.info.outcome.anyWinner }
        case .known: tape.match.info.outcome.anyWinner
        }
    }

    private var drawnOutcome: String? {
        switch tape.match.info.outcome.result {
        case "draw": "draw"
        case "no result": "no-result"
        default: nil
        }
    }

    private var playerOfMatch: Int64? {
        frame.result == .known ? tape.match.info.player_of_match?.first.map(tape.ids.person) : nil
    }

    /// The officials by the name of the member without `_id`.
    private var officials: [(String, String?)] {
        let officials = tape.match.info.officials
        return [
            ("first_umpire", officials?.umpires?.first), ("second_umpire", officials?.umpires?.dropFirst().first),
            ("tv_umpire", officials?.tv_umpires?.first), ("referee", officials?.match_referees?.first),
        ]
    }

    // MARK: Rows

    private func runs(_ json: inout JSONBytes) {
        json.key("runs")
        json.array { json in
            for row in totals.innings {
                let powerplays = tape.match.innings[row.index].powerplays ?? []
                json.object {
                    $0.field("resource", "runs")
                    $0.field("id", row.rowID)
                    $0.field("fixture_id", tape.id)
                    $0.field("team_id", tape.battingTeamID(row.index))
                    $0.field("inning", row.index + 1)
                    $0.field("score", row.runs)
                    $0.field("wickets", row.wickets)
                    $0.field("overs", raw: Self.overs(row.overs))
                    for number in 0..<3 {
                        let span = number < powerplays.count ? powerplays[number] : nil
                        $0.field("pp\(number + 1)", span.map { "\(Int($0.from) + 1)-\(Int($0.to) + 1)" })
                    }
                    $0.field("updated_at", date(row.changedAt))
                }
            }
        }
    }

    private func batting(_ json: inout JSONBytes) {
        let updated = date(max(figures.changedAt, frame.touchedAt))
        json.key("batting")
        json.array { json in
            for row in figures.batting {
                json.object {
                    $0.field("resource", "battings")
                    $0.field("id", row.rowID)
                    $0.field("sort", row.sort)
                    $0.field("fixture_id", tape.id)
                    $0.field("team_id", tape.battingTeamID(row.innings))
                    $0.field("active", false)
                    $0.field("scoreboard", "S\(row.innings + 1)")
                    $0.field("player_id", row.player)
                    $0.field("wicket_id", row.wicketID)
                    $0.field("ball", row.balls)
                    $0.field("score_id", row.wicketID)
                    $0.field("score", row.runs)
                    $0.field("four_x", row.fours)
                    $0.field("six_x", row.sixes)
                    $0.field("catch_stump_player_id", row.catcher)
                    $0.field("runout_by_id", row.runOutBy)
                    $0.field("batsmanout_id", nil as Int64?)
                    $0.field("bowling_player_id", row.bowler)
                    $0.field("fow_score", row.fallScore)
                    $0.field("fow_balls", raw: row.fallLabel)
                    $0.field("rate", row.rate)
                    $0.field("updated_at", updated)
                    for (name, player) in [
                        ("batsman", row.player), ("bowler", row.bowler), ("runoutby", row.runOutBy),
                        ("catchstump", row.catcher),
                    ] where includes.has("batting.\(name)") {
                        $0.field(name, raw: tape.people.json(player))
                    }
                }
            }
        }
    }

    private func bowling(_ json: inout JSONBytes) {
        let updated = date(max(figures.changedAt, frame.touchedAt))
        let perOver = tape.match.info.balls_per_over ?? 6
        json.key("bowling")
        json.array { json in
            for row in figures.bowling {
                let overs = row.overs(ballsPerOver: perOver)
                json.object {
                    $0.field("resource", "bowlings")
                    $0.field("id", row.rowID)
                    $0.field("sort", row.sort)
                    $0.field("fixture_id", tape.id)
                    $0.field("team_id", tape.bowlingTeamID(row.innings))
                    $0.field("active", false)
                    $0.field("scoreboard", "S\(row.innings + 1)")
                    $0.field("player_id", row.player)
                    $0.field("overs", raw: Self.overs(overs))
                    $0.field("medians", row.maidens)
                    $0.field("runs", row.runs)
                    $0.field("wickets", row.wickets)
                    $0.field("wide", row.wides)
                    $0.field("noball", row.noBalls)
                    $0.field(
                        "rate",
                        raw: Self.economy(runs: row.runs, balls: overs.completed * perOver + overs.balls, perOver))
                    $0.field("updated_at", updated)
                    if includes.has("bowling.bowler") { $0.field("bowler", raw: tape.people.json(row.player)) }
                }
            }
        }
    }

    private func scoreboards(_ json: inout JSONBytes) {
        json.key("scoreboards")
        json.array { json in
            for row in totals.innings {
                for isTotal in [false, true] {
                    // A row has only its own kind of figures.
                    func extra(_ number: Int) -> Int { isTotal ? 0 : number }
                    json.object {
                        $0.field("resource", "scoreboards")
                        $0.field("id", isTotal ? row.totalRowID : row.extraRowID)
                        $0.field("fixture_id", tape.id)
                        $0.field("team_id", tape.battingTeamID(row.index))
                        $0.field("type", isTotal ? "total" : "extra")
                        $0.field("scoreboard", "S\(row.index + 1)")
                        $0.field("wide", extra(row.wides))
                        $0.field("noball_runs", extra(row.noBallRuns))
                        $0.field("noball_balls", extra(row.noBallBalls))
                        $0.field("bye", extra(row.byes))
                        $0.field("leg_bye", extra(row.legByes))
                        $0.field("penalty", extra(row.penalty))
                        $0.field("total", isTotal ? row.runs : row.extras)
                        $0.field("overs", raw: isTotal ? Self.overs(row.overs) : "0")
                        $0.field("wickets", isTotal ? row.wickets : 0)
                        $0.field("updated_at", date(row.changedAt))
                    }
                }
            }
        }
    }

    private func lineup(_ json: inout JSONBytes) {
        json.key("lineup")
        json.array {
            guard frame.hasToss else { return }
            for selected in tape.people.lineup {
                if let player = tape.people.json(selected) { $0.raw(player) }
            }
        }
    }

    // MARK: Objects

    private func people(_ json: inout JSONBytes) {
        for (name, person) in officials {
            let include = name.split(separator: "_").joined()
            if includes.has(include) { json.field(include, raw: person.map(official)) }
        }
        if includes.has("manofmatch") { json.field("manofmatch", raw: tape.people.json(playerOfMatch)) }
        if includes.has("manofseries") { json.field("manofseries", raw: nil as [UInt8]?) }
        if includes.has("winnerteam") { json.field("winnerteam", raw: winner.map(tape.json(team:))) }
        if includes.has("tosswon") { json.field("tosswon", raw: tossWinner.map(tape.json(team:))) }
    }

    private func official(_ name: String) -> [UInt8] {
        let names = TapePeople.names(of: name)
        var json = JSONBytes()
        json.object {
            $0.field("resource", "officials")
            $0.field("id", tape.ids.person(name))
            $0.field("country_id", Self.worldCountryID)
            $0.field("firstname", names.first)
            $0.field("lastname", names.last)
            $0.field("fullname", name)
            $0.field("dateofbirth", nil as String?)
            $0.field("gender", nil as String?)
            $0.field("updated_at", Self.referenceDate)
        }
        return json.bytes
    }

    private func league() -> [UInt8] {
        var json = JSONBytes()
        json.object {
            $0.field("resource", "leagues")
            $0.field("id", tape.words.leagueID)
            $0.field("season_id", seasonID)
            $0.field("country_id", Self.worldCountryID)
            $0.field("name", tape.words.leagueName)
            $0.field("code", tape.words.leagueCode)
            $0.field("image_path", Self.placeholder)
            $0.field("type", "phase")
            $0.field("updated_at", Self.referenceDate)
        }
        return json.bytes
    }

    private func season() -> [UInt8] {
        var json = JSONBytes()
        json.object {
            $0.field("resource", "seasons")
            $0.field("id", seasonID)
            $0.field("league_id", tape.words.leagueID)
            $0.field("name", tape.match.info.season)
            $0.field("code", tape.match.info.season)
            $0.field("updated_at", Self.referenceDate)
        }
        return json.bytes
    }

    private func stage() -> [UInt8] {
        let name = tape.match.info.event?.name ?? tape.words.leagueName
        var json = JSONBytes()
        json.object {
            $0.field("resource", "stages")
            $0.field("id", stageID)
            $0.field("league_id", tape.words.leagueID)
            $0.field("season_id", seasonID)
            $0.field("name", name)
            $0.field("code", TeamCodes.code(of: name))
            $0.field("type", nil as String?)
            $0.field("standings", false)
            $0.field("updated_at", Self.referenceDate)
        }
        return json.bytes
    }

    private func venue() -> [UInt8]? {
        guard let name = tape.match.info.venue else { return nil }
        var json = JSONBytes()
        json.object {
            $0.field("resource", "venues")
            $0.field("id", StableHash.of(name))
            $0.field("country_id", Self.worldCountryID)
            $0.field("name", name)
            $0.field("city", tape.match.info.city)
            $0.field("image_path", Self.placeholder)
            $0.field("capacity", nil as Int64?)
            $0.field("floodlight", false)
            $0.field("updated_at", Self.referenceDate)
        }
        return json.bytes
    }

    private var seasonID: Int64 { tape.seasonID }
    private var stageID: Int64 { StableHash.of(tape.match.info.event?.name ?? tape.words.leagueName) }

    // MARK: Figures

    private func date(_ offset: Int) -> String { ProviderTime.text(clock.time(of: offset)) }

    /// Overs as the provider writes them: `20`, `18.4`; a complete over has no decimals.
    private static func overs(_ overs: (completed: Int, balls: Int)) -> String {
        overs.balls == 0 ? String(overs.completed) : "\(overs.completed).\(overs.balls)"
    }

    private static func number(_ value: Double) -> String {
        value == value.rounded() ? String(Int(value)) : String(value)
    }

    /// Runs an over with at most two decimals and no trailing zeros.
    private static func economy(runs: Int, balls: Int, _ perOver: Int) -> String {
        guard balls > 0 else { return "0" }
        let hundredths = (2 * runs * perOver * 100 + balls) / (2 * balls)
        let rest = hundredths % 100
        if rest == 0 { return String(hundredths / 100) }
        return rest % 10 == 0
            ? "\(hundredths / 100).\(rest / 10)" : "\(hundredths / 100).\(rest < 10 ? "0" : "")\(rest)"
    }
}
