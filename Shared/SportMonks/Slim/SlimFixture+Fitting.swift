#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension SlimFixture {
    /// Parts that a frame can do without, in the order in which they are given up.
    public enum Part: String, Sendable, CaseIterable {
        /// Texts beyond 200 characters, which are cut (no name or note of a real match is that long), and the teams'
        /// logos, which only the schedule needs.
        case longTexts
        /// The rows of `scoreboards`, which only show penalty runs.
        case scoreboards
        /// Players whom no ball and no batting or bowling row names.
        case playersWithoutRow
        /// The balls of old innings, the oldest innings first: the totals and figures of an innings show its events as
        /// well.
        case ballsOfOldInnings
        /// The batting and bowling figures of every innings but the newest.
        case figuresOfOldInnings
        /// The balls of the newest innings.
        case balls
        /// All rows but one total for each innings, and all players.
        case figures
    }

    /// Returns the fixture cut so that its JSON has at most `bytesMax` bytes, and the parts given up for that; as a
    /// rule none.
    ///
    /// The minimum that is left (teams, texts of 200 characters, 99 totals) has under 200,000 bytes.
    public func fitting(bytesMax: Int) -> (fixture: SlimFixture, givenUp: [Part]) {
        // The fixture is encoded only when an estimate says that it could be too large.
        if bytesAtMost <= bytesMax { return (self, []) }
        var fixture = self
        var givenUp: [Part] = []
        for part in Part.allCases {
            if fixture.fits(bytesMax) { break }
            fixture.giveUp(part, bytesMax: bytesMax)
            givenUp.append(part)
        }
        return (fixture, givenUp)
    }

    private mutating func giveUp(_ part: Part, bytesMax: Int) {
        switch part {
        case .longTexts: cutTexts(to: 200)
        case .scoreboards: scoreboards = []
        case .playersWithoutRow: keepPlayersWithARow()
        case .ballsOfOldInnings:
            let numbers = Set(balls.map(\.innings)).sorted()
            for number in numbers.dropLast() {
                keepBalls { $0.innings != number }
                if fits(bytesMax) { return }
            }
        case .figuresOfOldInnings:
            let newest = (batting.map(\.innings) + bowling.map(\.innings)).max() ?? 0
            batting.removeAll { $0.innings != newest }
            bowling.removeAll { $0.innings != newest }
            keepPlayersWithARow()
        case .balls:
            keepBalls { _ in false }
            keepPlayersWithARow()
        case .figures:
            batting = []
            bowling = []
            players = []
            // Of several rows the last counts, as it does for every reader of the totals.
            runs = Dictionary(runs.map { ($0.innings, $0) }) { $1 }.values.sorted { $0.innings < $1.innings }
        }
    }

    /// Keeps these balls, and the scores that they use.
    private mutating func keepBalls(_ isKept: (SlimBall) -> Bool) {
        let known = scores.indices
        balls.removeAll { !isKept($0) || !known.contains($0.score) }
        var places: [Int: Int] = [:]
        var kept: [SlimScore] = []
        for index in balls.indices {
            let old = balls[index].score
            if places[old] == nil {
                places[old] = kept.count
                kept.append(scores[old])
            }
            balls[index].score = places[old] ?? 0
        }
        scores = kept
    }

    private mutating func keepPlayersWithARow() {
        var named: Set<Int64?> = []
        for ball in balls {
            named.formUnion([
                ball.strikerID, ball.bowlerID, ball.batterOneID, ball.batterTwoID, ball.outID, ball.catcherID,
                ball.runOutByID,
            ])
        }
        for row in batting { named.formUnion([row.playerID, row.bowlerID, row.catcherID, row.runOutByID]) }
        for row in bowling { named.insert(row.playerID) }
        players.removeAll { !named.contains($0.id) }
    }

    private mutating func cutTexts(to count: Int) {
        func cut(_ text: String) -> String { text.utf8.count <= count ? text : text.cut(to: count) }
        func cut(_ text: String?) -> String? { text.map { cut($0) } }
        func cut(_ team: SlimTeam) -> SlimTeam { SlimTeam(id: team.id, name: cut(team.name), code: cut(team.code)) }
        leagueName = cut(leagueName)
        leagueCode = cut(leagueCode)
        seasonName = cut(seasonName)
        stageName = cut(stageName)
        round = cut(round)
        home = cut(home)
        away = cut(away)
        type = cut(type)
        status = cut(status)
        note = cut(note)
        venueName = cut(venueName)
        venueCity = cut(venueCity)
        elected = cut(elected)
        drawNoResult = cut(drawNoResult)
        for place in batting.indices { batting[place].wicketName = cut(batting[place].wicketName) }
        for place in scoreboards.indices { scoreboards[place].type = cut(scoreboards[place].type) }
        for place in scores.indices { scores[place].name = cut(scores[place].name) }
        for place in players.indices {
            players[place].fullName = cut(players[place].fullName)
            players[place].lastName = cut(players[place].lastName)
        }
    }

    private func fits(_ bytesMax: Int) -> Bool {
        let most = bytesAtMost
        // A fixture whose estimate is six times too large is too large when encoded.
        return most <= bytesMax || (most / 6 <= bytesMax && bytesWritten <= bytesMax)
    }

    /// The greatest number of bytes of any encoding: all keys, the longest numbers, and every character of a text
    /// escaped.
    private var bytesAtMost: Int {
        func escaped(_ text: String?) -> Int { (text?.utf8.count ?? 0) * 6 }
        var bytes = 3_000 + balls.count * 300 + (batting.count + bowling.count + scoreboards.count + runs.count) * 500
        for text in [
            leagueName, leagueCode, seasonName, stageName, round, home.name, home.code, home.logo, away.name, away.code,
            away.logo, type, status, note, venueName, venueCity, elected, drawNoResult,
        ] {
            bytes += escaped(text)
        }
        for row in batting { bytes += escaped(row.wicketName) }
        for row in scoreboards { bytes += escaped(row.type) }
        for score in scores { bytes += 300 + escaped(score.name) }
        for player in players { bytes += 60 + escaped(player.fullName) + escaped(player.lastName) }
        return bytes
    }

    private var bytesWritten: Int {
        // Encoding cannot fail: a fixture has no number that JSON cannot express (`revisedOvers` is finite).
        (try? JSONEncoder().encode(self).count) ?? .max
    }
}

extension String {
    /// The text up to `count` characters, none of them split, with at most eight bytes for each.
    fileprivate func cut(to count: Int) -> String {
        var bytes = 0
        let kept = prefix(count).prefix { character in
            bytes += character.utf8.count
            return bytes <= count * 8
        }
        return String(kept)
    }
}
