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
        return MatchSnapshot(
            id: matchID, format: format, competition: competition, round: round,
            home: home.named, away: away.named, startsAt: startsAt, phase: phase, note: note, winnerID: winnerTeamID,
            outcome: drawnOutcome, scheduledOvers: scheduledOvers.flatMap { $0 > 0 ? $0 : nil },
            revisedTarget: target.runs, revisedOvers: target.overs, tossWinnerID: tossWonTeamID, followOn: followOn,
            superOver: superOver, innings: innings,
            players: names, competitionCode: leagueCode, tossDecision: tossDecision)
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
        let overs = revisedOvers.flatMap { (0.1..<1_000).contains($0) ? Overs(tenths: Int(($0 * 10).rounded())) : nil }
        if let revisedTarget, revisedTarget > 0 { return (revisedTarget, overs) }
        // In a super over the note has the super over's target.
        guard format != .firstClass, innings.count <= 2, let first = innings.first, first.number == 1,
            let noted = NotedTarget(note), noted.runs != first.runs + 1
        else { return (nil, overs) }
        // The note may predate a correction of the last run or boundary of the first innings.
        let limit = overs ?? noted.overs
        let isShortened = limit.map { $0.legalBalls != (scheduledOvers ?? 0) * 6 } ?? false
        guard isShortened || abs(noted.runs - first.runs - 1) > 6 else { return (nil, overs) }
        return (noted.runs, limit)
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
                meanings: meanings)
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
        let words = name.split { !$0.isLetter && !$0.isNumber }
        let initials = words.count > 1 ? String(words.compactMap(\.first).prefix(4)) : String(name.prefix(3))
        return Team(id: id, name: name, code: code ?? initials.uppercased())
    }
}
