import Cricket
import SightscreenModels

/// The result by the provider's note, and by its word for matches without a winner.
struct ResultNote {
    enum Drawn: Equatable { case draw, tie, noResult }

    /// The note as a fan reads it; nil unless it tells a result (a target, the toss or the rain is none).
    let text: String?
    /// The winner that the note names.
    let winner: Int64?
    /// The result without a winner that the note names.
    let drawn: Drawn?
    /// Whether the match was decided by rain rules, on boundaries, without play or the like, so that the runs alone do
    /// not show it.
    let isByRule: Bool
    private let isRevised: Bool
    private let isTie: Bool
    /// The margin as `RunsResult` writes it: "10 runs", "an innings and 225 runs", "9 wickets"; nil when the note has
    /// none.
    let margin: String?

    init(_ snapshot: MatchSnapshot) {
        let note = DisplayText.line(snapshot.note ?? "")
        let words = Self.words(note)
        let isProgress =
            ["target", "need", "require"].contains { words.first?.hasPrefix($0) ?? false }
            || ["elected", "opted", "chose"].contains { words.contains($0) }
            || note.lowercased().contains("won the toss")
            || note.lowercased().hasSuffix(" won toss")
        winner = isProgress ? nil : Self.winner(in: note, of: snapshot)
        isTie = !isProgress && (words.contains("tied") || words.contains("tie"))
        let lowered = note.lowercased()
        isByRule = Self.rules.contains { lowered.contains($0) }
        isRevised = snapshot.revisedTarget != nil
        let saysNoResult = !isProgress && Self.noResults.contains { lowered.contains($0) }
        let saysDraw = !isProgress && (words.contains("drawn") || words.contains("draw"))
        if winner != nil {
            drawn = nil
        } else if isTie {
            drawn = .tie
        } else if snapshot.outcome == .noResult || saysNoResult {
            drawn = .noResult
        } else if snapshot.outcome == .draw || saysDraw {
            drawn = .draw
        } else {
            drawn = nil
        }
        text = winner != nil || isTie || saysNoResult || saysDraw ? Self.tidied(note) : nil
        margin = Self.margin(words)
    }

    /// Words of a result that the runs need not show.
    private static let rules = [
        "d/l", "dls", "vjd", "duckworth", "boundar", "spin of", "toss of", "forfeit", "award", "concede", "walkover",
        "walk over", "default", "bowl-out", "bowl out", "fewer wickets",
    ]
    private static let noResults = ["no result", "no-result", "abandon", "cancel", "called off", "washed out"]

    /// Whether the runs can lead to `winner` by the margin of the note. Where rain revised the target they say little:
    /// a side that is ahead of par when play ends has won by runs with all its wickets in hand.
    func allows(_ runs: RunsResult, winner: Int64) -> Bool {
        if isByRule { return true }
        // A revised target that was reached decides the match; short of it the note may go by par.
        if isRevised, case .won(let team, let by) = runs, by.contains("wicket") || by == RunsResult.penaltyRuns {
            return team == winner
        }
        if isRevised { return true }
        switch runs {
        case .won(let team, RunsResult.superOver): return team == winner
        // A side that is all out wins by whatever margin the provider gives the penalty runs.
        case .won(let team, RunsResult.penaltyRuns): return team == winner && !isTie
        case .won(let team, let by): return team == winner && !isTie && (margin ?? by) == by
        // A tie is decided in a super over or by whatever the rules say, and the note has to call it a tie.
        case .tie: return isTie
        case .undecided: return false
        }
    }

    // MARK: - The sentence

    /// "X won by 2 wickets (With 0 ball remaining)" → "X won by 2 wickets", "… (With 10 balls remaining) (D/L)" → "…
    /// with 10 balls left (D/L)", "match drawn" → "Match drawn", "9 wkts" → "9 wickets".
    private static func tidied(_ note: String) -> String {
        var result: [String] = []
        var rest = note[...]
        while let open = rest.firstIndex(of: "("), let close = rest[open...].firstIndex(of: ")") {
            result += rest[..<open].split(separator: " ").map(String.init)
            let inside = rest[rest.index(after: open)..<close]
            switch ballsLeft(inside) {
            case nil: result.append("(\(inside))")
            case 0: break
            case let balls?: result.append("with \(EventText.count(balls, "ball")) left")
            }
            rest = rest[rest.index(after: close)...]
        }
        result += rest.split(separator: " ").map(String.init)
        for (index, word) in result.enumerated() where index > 0 && Int(result[index - 1]) != nil {
            if word.lowercased() == "wkt" { result[index] = "wicket" }
            if word.lowercased() == "wkts" { result[index] = "wickets" }
        }
        let text = result.joined(separator: " ")
        return text.prefix(1).uppercased() + text.dropFirst()
    }

    /// The number in "With 10 balls remaining"; nil for other words.
    private static func ballsLeft(_ text: Substring) -> Int? {
        let words = text.lowercased().split(separator: " ")
        guard words.count == 4, words[0] == "with", words[2].hasPrefix("ball"),
            ["remaining", "left"].contains(words[3])
        else { return nil }
        return Int(words[1])
    }

    private static func margin(_ words: [String]) -> String? {
        guard
            let unit = words.indices.dropFirst().first(where: { units[words[$0]] != nil && Int(words[$0 - 1]) != nil }),
            let count = Int(words[unit - 1]), let noun = units[words[unit]]
        else { return nil }
        let text = EventText.count(count, noun)
        return words.contains("innings") ? "an innings and \(text)" : text
    }

    private static let units = [
        "run": "run", "runs": "run", "wicket": "wicket", "wickets": "wicket", "wkt": "wicket", "wkts": "wicket",
    ]

    // MARK: - The outcome

    /// The outcome by the announced sentence: the winner with "won by 7 runs", or the sentence alone where there is no
    /// winner.
    static func outcome(_ sentence: String, in snapshot: MatchSnapshot) -> ContentState.Outcome {
        let sentence = DisplayText.line(sentence)
        guard let winner = winner(in: sentence, of: snapshot).flatMap(snapshot.team) else {
            return ContentState.Outcome(winnerAbbr: nil, text: sentence)
        }
        return ContentState.Outcome(winnerAbbr: DisplayText.code(winner.code), text: predicate(of: sentence))
    }

    /// A result without a winner in two words, for where the provider's sentence has no room: "match abandoned" of
    /// "Match abandoned without a ball bowled".
    static func short(of sentence: String) -> String {
        let lowered = sentence.lowercased()
        let known = [
            ("abandon", "match abandoned"), ("cancel", "match cancelled"), ("called off", "match called off"),
            ("tie", "match tied"), ("draw", "match drawn"),
        ]
        return known.first { lowered.contains($0.0) }?.1 ?? "no result"
    }

    /// The part after the winner: "won by 4 wickets" of "Chennai Super Kings won by 4 wickets with 10 balls left", "won
    /// the Super Over" of "Match tied (X won the Super Over)", "won by 5 runs (D/L)" of "X beat Y by 5 runs (D/L)".
    private static func predicate(of sentence: String) -> String {
        let words = sentence.split(separator: " ").map(String.init)
        let lowered = words.map { $0.lowercased() }
        if let verb = lowered.firstIndex(where: { ["won", "win", "wins"].contains($0) }) {
            return (["won"] + withoutBallsLeft(words[(verb + 1)...])).joined(separator: " ").closed
        }
        if let verb = lowered.firstIndex(where: { ["beat", "defeated"].contains($0) }) {
            let margin = lowered[verb...].firstIndex(of: "by") ?? words.endIndex
            return (["won"] + withoutBallsLeft(words[margin...])).joined(separator: " ").closed
        }
        if lowered.contains("awarded") { return "awarded the match" }
        return lowered.contains { $0.hasPrefix("forfeit") } ? "won by forfeit" : "won by concession"
    }

    /// Removes "with 10 balls left", which the status says.
    private static func withoutBallsLeft(_ words: ArraySlice<String>) -> [String] {
        guard
            let with = words.indices.first(where: {
                words[$0] == "with" && $0 + 3 < words.endIndex && words[$0 + 3] == "left"
            })
        else { return Array(words) }
        return Array(words[..<with] + words[(with + 4)...])
    }

    // MARK: - The winner

    /// The team in front of " won" or " beat", or the team to which a match was awarded or conceded.
    private static func winner(in note: String, of snapshot: MatchSnapshot) -> Int64? {
        let words = note.split { !$0.isLetter && !$0.isNumber && $0 != "&" && $0 != "(" && $0 != "," && $0 != "'" }
        let lowered = words.map { $0.lowercased() }
        let verb = lowered.indices.first {
            // "Match drawn (India won the series 1-0)" names no winner of the match.
            ["won", "win", "wins", "beat", "defeated"].contains(lowered[$0])
                && !lowered[($0 + 1)...].prefix(2).contains("series")
        }
        if let verb {
            // In "Match tied (X won the Super Over)" the words in front of the bracket are not the team.
            return team(in: subject(words[..<verb]), of: snapshot, isWhole: true)
        }
        if let verb = lowered.firstIndex(of: "awarded"), let to = lowered[verb...].firstIndex(of: "to") {
            let object = lowered[(to + 1)...].prefix { !$0.hasPrefix("(") }
            return team(in: Array(object), of: snapshot, isWhole: false)
        }
        if let verb = lowered.firstIndex(where: { ["conceded", "concede", "forfeited", "forfeit"].contains($0) }) {
            let loser = team(in: subject(words[..<verb]), of: snapshot, isWhole: true)
            return loser.map { $0 == snapshot.home.id ? snapshot.away.id : snapshot.home.id }
        }
        return nil
    }

    private static func subject(_ words: ArraySlice<Substring>) -> [String] {
        var subject: [String] = []
        for word in words.reversed() {
            let bare = word.lowercased().filter { $0 != "(" && $0 != "," }
            if !bare.isEmpty { subject.insert(bare, at: 0) }
            if word.contains("(") || word.contains(",") { break }
        }
        return subject
    }

    private static func team(in words: [String], of snapshot: MatchSnapshot, isWhole: Bool) -> Int64? {
        let matching = [(snapshot.home, snapshot.away), (snapshot.away, snapshot.home)].filter { team, other in
            names(team, words, notAlso: other, isWhole: isWhole)
        }
        return matching.count == 1 ? matching[0].0.id : nil
    }

    /// Whether the words name the team.
    ///
    /// - Parameter isWhole: true when the words end with the name, false when they begin with it.
    private static func names(_ team: Team, _ subject: [String], notAlso other: Team, isWhole: Bool) -> Bool {
        let code = team.code.lowercased()
        if subject == [code] || (!isWhole && subject.first == code) { return true }
        let own = words(team.name)
        if !own.isEmpty, (isWhole ? subject.suffix(own.count) : subject.prefix(own.count)) == own[...] { return true }
        // Names change ("Bangalore", "Bengaluru"): one word that only this team has is enough.
        let alone = Set(own).subtracting(words(other.name)).filter { $0.count >= 4 }
        return !alone.isDisjoint(with: subject)
    }

    private static func words(_ text: String) -> [String] {
        text.lowercased().split { !$0.isLetter && !$0.isNumber && $0 != "&" && $0 != "'" }.map(String.init)
    }
}

extension String {
    /// The text without a closing bracket at the end that nothing opens.
    fileprivate var closed: String { last == ")" && !contains("(") ? String(dropLast()) : self }
}
