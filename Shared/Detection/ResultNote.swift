import Sightscreen

/// What the provider's note (and its word for matches without a winner) says of the result.
struct ResultNote {
    enum Drawn: Equatable { case draw, tie, noResult }

    /// The note as a fan reads it; nil when there is none, or only a target.
    let text: String?
    /// Whom it calls the winner.
    let winner: Int64?
    /// What it says instead of a winner.
    let drawn: Drawn?
    /// Decided by rain rules, on boundaries or the like: the runs alone do not show it.
    private let isByRule: Bool
    private let isTie: Bool

    init(_ snapshot: MatchSnapshot) {
        let note = snapshot.note.map { DisplayText.line($0) }
        let lowered = note?.lowercased() ?? ""
        let isResult = !lowered.isEmpty && !lowered.hasPrefix("target")
        text = isResult ? note.map(Self.tidied) : nil
        winner = isResult ? Self.winner(in: note ?? "", of: snapshot) : nil
        isTie = ["tied", "match tie", "tie "].contains { lowered.contains($0) } || lowered == "tie"
        isByRule = ["d/l", "dls", "vjd", "duckworth", "boundar", "toss", "forfeit", "award", "conceded", "walkover"]
            .contains { lowered.contains($0) }
        let saysNoResult = lowered.contains("no result") || lowered.contains("no-result") || lowered.contains("abandon")
        if winner != nil {
            drawn = nil
        } else if isTie {
            drawn = .tie
        } else if snapshot.outcome == .noResult || saysNoResult {
            drawn = .noResult
        } else if snapshot.outcome == .draw || lowered.contains("drawn") || lowered.contains("draw") {
            drawn = .draw
        } else {
            drawn = nil
        }
    }

    /// Whether the runs can lead to `winner` as the note says.
    func allows(_ runs: RunsResult, winner: Int64) -> Bool {
        switch runs {
        case .won(let team, _): team == winner || isByRule
        // A tie is won in a super over, on boundaries, on whatever the rules say; the note has to call it a tie.
        case .tie: isTie || isByRule
        case .undecided: isByRule
        }
    }

    /// "X won by 2 wickets (With 0 ball remaining)" → "X won by 2 wickets", "… (With 10 balls remaining)" → "… with 10
    /// balls left".
    private static func tidied(_ note: String) -> String {
        guard let open = note.lastIndex(of: "("), note.last == ")" else { return note }
        let words = note[open...].dropFirst().dropLast().lowercased().split(separator: " ")
        guard words.count == 4, words[0] == "with", words[3] == "remaining", let balls = Int(words[1]) else {
            return note
        }
        let head = note[..<open].split(separator: " ").joined(separator: " ")
        return balls == 0 ? head : "\(head) with \(balls) \(balls == 1 ? "ball" : "balls") left"
    }

    /// The team in front of " won" or " beat".
    private static func winner(in note: String, of snapshot: MatchSnapshot) -> Int64? {
        let words = note.split { !$0.isLetter && !$0.isNumber && $0 != "&" && $0 != "(" && $0 != "," && $0 != "'" }
        guard let verb = words.firstIndex(where: { ["won", "win", "wins", "beat"].contains($0.lowercased()) }) else {
            return nil
        }
        // "Match tied (X won the Super Over)": what is in front of the bracket is not the team.
        var subject: [String] = []
        for word in words[..<verb].reversed() {
            let bare = word.lowercased().filter { $0 != "(" && $0 != "," }
            if !bare.isEmpty { subject.insert(bare, at: 0) }
            if word.contains("(") || word.contains(",") { break }
        }
        let matching = [(snapshot.home, snapshot.away), (snapshot.away, snapshot.home)].filter { team, other in
            names(team, subject, notAlso: other)
        }
        return matching.count == 1 ? matching[0].0.id : nil
    }

    private static func names(_ team: Team, _ subject: [String], notAlso other: Team) -> Bool {
        if subject == [team.code.lowercased()] { return true }
        let own = words(team.name)
        if !own.isEmpty, subject.suffix(own.count) == own[...] { return true }
        // Names change ("Bangalore", "Bengaluru"): a word that is this team's alone will do.
        let alone = Set(own).subtracting(words(other.name)).filter { $0.count >= 4 }
        return !alone.isDisjoint(with: subject)
    }

    private static func words(_ name: String) -> [String] {
        name.lowercased().split { !$0.isLetter && !$0.isNumber && $0 != "&" && $0 != "'" }.map(String.init)
    }
}
