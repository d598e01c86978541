public import Cricket
package import SightscreenModels

extension SlimFixture {
    /// The frame in cricket's terms: what happened on each ball, how each batter got out, where the match is.
    /// - Throws: `FrameError` when the frame cannot be a match: two teams with one id, an innings of neither team, or a
    ///   ball that points outside the table of scores.
    public func snapshot() throws(FrameError) -> MatchSnapshot {
        guard home.id != away.id else { throw .oneTeam }
        guard balls.allSatisfy({ scores.indices.contains($0.score) }) else { throw .brokenTables }
        let names = Dictionary(
            players.map { ($0.id, Player(id: $0.id, fullName: $0.fullName, lastName: $0.lastName)) },
            uniquingKeysWith: { _, later in later })
        let innings = try normalisedInnings()
        let target = revision(of: innings)
        let teams = teams
        return MatchSnapshot(
            id: matchID, format: format, competition: competition, round: round,
            home: teams.home, away: teams.away, startsAt: startsAt, phase: phase, note: note, winnerID: winnerTeamID,
            outcome: drawnOutcome, scheduledOvers: plannedOvers,
            revisedTarget: target.runs, revisedOvers: target.overs, tossWinnerID: tossWonTeamID, followOn: followOn,
            superOver: superOver, innings: innings,
            players: names, competitionCode: leagueCode, tossDecision: tossDecision, ballsPerOver: ballsPerOver)
    }

    /// The sides, with codes that tell them apart: of two sides of one code (a club's two teams, or one that the
    /// provider gave to both) the codes are made of the names.
    private var teams: (home: Team, away: Team) {
        var (home, away) = (home.named, away.named)
        guard home.code.lowercased() == away.code.lowercased() else { return (home, away) }
        let forms = zip(SlimTeam.codes(of: home.name), SlimTeam.codes(of: away.name))
        let apart = forms.first { $0.lowercased() != $1.lowercased() }
        (home.code, away.code) = apart ?? (home.code + "1", away.code + "2")
        return (home, away)
    }

    /// Five balls in The Hundred, which the provider's `type` alone tells ("100-ball", "The Hundred").
    private var ballsPerOver: Int {
        let name = (type ?? "").lowercased()
        return name.contains("hundred") || name.contains("100") ? 5 : Overs.usualBalls
    }

    /// The scheduled overs a side. In The Hundred they are twenty sets of five; a greater number is one of balls.
    private var plannedOvers: Int? {
        let planned = scheduledOvers.flatMap { $0 > 0 ? $0 : nil }
        guard ballsPerOver != Overs.usualBalls else { return planned }
        return planned.map { $0 > 20 ? $0 / ballsPerOver : $0 } ?? 20
    }

    /// The name of the league, or of the part of it that the provider names.
    package var competition: String { leagueName ?? stageName ?? leagueCode ?? "" }

    /// The decision at the toss by the provider's `elected`: "batting", "bowling"; other sources write "bat", "field".
    var tossDecision: TossDecision? {
        switch (elected ?? "").lowercased() {
        case "batting", "bat": .bat
        case "bowling", "bowl", "fielding", "field": .bowl
        default: nil
        }
    }

    /// The chase as revised by rain: from the fields meant for it, otherwise from the note, where its target differs
    /// from the one that the first innings sets.
    private func revision(of innings: [Innings]) -> (runs: Int?, overs: Overs?) {
        let first = innings.first.flatMap { $0.number == 1 ? $0 : nil }
        let own = first.flatMap { $0.battingTeamID == home.id ? awayRevision : homeRevision }
        let overs =
            overs(revisedOvers) ?? overs(own?.revisedOvers) ?? own.flatMap { chaseOvers(by: $0, in: innings) }
        if let target = [revisedTarget, own?.target].compactMap({ $0 }).first(where: { $0 > 0 }) {
            return (target, overs)
        }
        // In a super over the note has the super over's target.
        guard format != .firstClass, innings.count <= 2, let first,
            let noted = NotedTarget(note, ballsPerOver: ballsPerOver),
            noted.runs != first.runs + 1
        else { return (nil, overs) }
        // The note may predate a correction of the last run or boundary of the first innings.
        let limit = overs ?? noted.overs
        let isShortened = limit.map { $0.legalBalls != (plannedOvers ?? 0) * ballsPerOver } ?? false
        guard isShortened || abs(noted.runs - first.runs - 1) > 6 else { return (nil, overs) }
        return (noted.runs, limit)
    }

    /// Overs that a chase can have; nil for no number or nonsense.
    private func overs(_ number: Double?) -> Overs? {
        number.flatMap {
            (0.1..<1_000).contains($0) ? Overs(tenths: Int(($0 * 10).rounded()), ballsPerOver: ballsPerOver) : nil
        }
    }

    /// The overs of the chase by a side's D/L data. The same member has the overs at an interruption: what the chase
    /// has passed, or stands at with just that score, is no limit.
    private func chaseOvers(by own: SlimRevision, in innings: [Innings]) -> Overs? {
        guard let overs = overs(own.overs), overs.legalBalls <= (plannedOvers ?? .max / 6) * ballsPerOver else {
            return nil
        }
        guard let chase = innings.first(where: { $0.number == 2 }) else { return overs }
        return overs < chase.overs || overs == chase.overs && own.score == chase.runs ? nil : overs
    }

    /// The format by the provider's `type`, otherwise by the scheduled overs: twenty overs or fewer, one day, or
    /// longer.
    package var format: MatchFormat {
        let name = (type ?? "").lowercased()
        if ["t20", "t10", "hundred", "100"].contains(where: { name.contains($0) }) { return .twenty20 }
        if ["odi", "list a", "lista", "one day", "one-day"].contains(where: { name.contains($0) }) { return .oneDay }
        if ["test", "day", "first", "class"].contains(where: { name.contains($0) }) { return .firstClass }
        guard let scheduledOvers, scheduledOvers > 0 else { return .firstClass }
        return scheduledOvers <= 20 ? .twenty20 : .oneDay
    }

    /// The phase by `status` alone; `live` says only that the match is covered.
    public var phase: MatchPhase { MatchPhase(status: status) }

    var drawnOutcome: DrawnOutcome? {
        switch drawNoResult?.lowercased().filter({ $0.isLetter }) {
        case "draw", "drawn": .draw
        case "noresult", "abandoned": .noResult
        default: nil
        }
    }

    private func normalisedInnings() throws(FrameError) -> [Innings] {
        let ballsByInnings = Dictionary(grouping: balls, by: \.innings)
        let battingByInnings = Dictionary(grouping: batting, by: \.innings)
        let bowlingByInnings = Dictionary(grouping: bowling, by: \.innings)
        let totals = Dictionary(runs.map { ($0.innings, $0) }, uniquingKeysWith: { _, later in later })
        let meanings = scores.map(ScoreMeaning.init)
        var result: [Innings] = []
        // Balls of an innings may arrive before its total; batting and bowling rows alone make no innings yet.
        for number in Set(totals.keys).union(ballsByInnings.keys).sorted() {
            let normaliser = InningsNormaliser(
                number: number, total: totals[number],
                batting: Array((battingByInnings[number] ?? []).prefix(InningsNormaliser.battersMax)),
                bowling: Array((bowlingByInnings[number] ?? []).prefix(InningsNormaliser.battersMax)),
                balls: ballsByInnings[number] ?? [], scores: scores,
                meanings: meanings, ballsPerOver: ballsPerOver)
            let innings = normaliser.innings()
            guard innings.battingTeamID == home.id || innings.battingTeamID == away.id else {
                throw .foreignInnings(number)
            }
            result.append(innings)
        }
        return result
    }
}

extension SlimTeam {
    /// The team with a code made up from the name where the provider sent none.
    package var named: Team {
        let name = name ?? code ?? "Team \(id)"
        return Team(id: id, name: name, code: code ?? Self.codes(of: name)[0])
    }

    /// Codes for a name, the usual one first: the initials, with numbers whole ("T41" of "Team 41"), or the beginning
    /// of a name of one word; then longer ones.
    static func codes(of name: String) -> [String] {
        let words = name.split { !$0.isLetter && !$0.isNumber }
        let initials = words.prefix(4).map { $0.allSatisfy(\.isNumber) ? $0 : $0.prefix(1) }.joined()
        let last = words.last ?? ""
        return [
            words.count > 1 ? initials : String(name.prefix(3)), String(name.prefix(3)),
            words.count > 1 ? "\(name.prefix(1))\(last.prefix(3))" : String(name.prefix(5)),
            words.count > 1 ? "\(name.prefix(3))\(last.prefix(3))" : String(name.prefix(8)),
        ].map { $0.uppercased() }
    }
}
