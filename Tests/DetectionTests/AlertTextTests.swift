import Cricket
@testable import Detection
import SightscreenModels
import Testing

/// What buzzes phones: the title has the news, the body the rest, and neither says a thing twice.
@Suite struct AlertTextTests {
    /// Every alert of the demo's T20 with its words.
    @Test(arguments: [
        ("KKR won the toss and chose to bowl", "Rajasthan Royals bat first"),
        ("RR 183/3: Buttler out for 103", "c Varun b Cummins 103 (61) · 16.4 overs"),
        ("RR 181/2: hundred for Buttler", "Off 59 balls, with 9 fours and 5 sixes · 16.1 overs"),
        ("RR 163/1: Samson 38 off 18", "15 overs"),
        ("RR finish on 217/5, KKR need 218", "Off 120 balls, 10.90 an over"),
        ("KKR 0/1: Narine out for a duck", "run out (Hetmyer) 0 (0) · KKR need 218 off 119"),
        ("KKR 116/2: fifty for SS Iyer", "Off 32 balls, with 6 fours and 1 six · KKR need 102 off 60"),
        ("KKR 180/7: Chahal on a hat-trick", "Mavi c Parag b Chahal 0 (1), after SS Iyer · KKR need 38 off 19"),
        (
            "KKR 180/8: hat-trick for Chahal",
            "Cummins c Samson b Chahal 0 (1), after SS Iyer, Mavi · Chahal takes five · KKR need 38 off 18"
        ),
        ("KKR need 11 off the last over", "KKR 207/8 (19.0)"),
        ("RR won by 7 runs", "RR 217/5 (20.0) · KKR 210 (19.4)"),
    ])
    func theDemoReadsWell(title: String, body: String) throws {
        #expect(Self.demo.contains { $0.title == title && $0.body == body })
    }

    private static let demo: [MatchAlert] = {
        guard let match = try? WholeMatch.demo.get() else { return [] }
        var played = Played(match.id)
        played.play(match.frames)
        return played.alerts
    }()

    @Test func titlesAreShortHaveASideAndBodiesRepeatNothing() {
        #expect(Self.demo.count > 20)
        for alert in Self.demo {
            #expect(alert.title.count <= 34 && alert.body.count <= 140)
            #expect(alert.title.contains("RR") || alert.title.contains("KKR"))
            #expect(!alert.title.contains("…") && !alert.body.isEmpty)
            let parts = alert.body.split(separator: " · ")
            #expect(Set(parts).count == parts.count, "\(alert.body)")
            #expect(parts.allSatisfy { !alert.title.contains($0) }, "\(alert.title) / \(alert.body)")
        }
    }

    /// Not the sides, the league and the number of the match.
    @Test func whereThereIsNothingToSayTheBodySaysWhoBatsOrTheTopScorer() throws {
        var book = TestScorebook(format: .firstClass, overs: nil)
        var played = Played(book.snapshot.id)
        played.take(book.snapshot, at: book.fetchedAt)
        book.snapshot.tossWinnerID = 1
        book.snapshot.tossDecision = .bat
        book.startInnings(batting: 1)
        book.snapshot.phase = .notStarted
        for _ in 0..<2 {
            book.clock += 5
            played.take(book.snapshot, at: book.fetchedAt)
        }
        #expect(played.alerts.map(\.body) == ["Chennai Super Kings bowl first"])
        book.bowl("4 1 W 6")
        for phase in [MatchPhase.stumps(day: 1), .innings(1), .inningsBreak] {
            book.snapshot.phase = phase
            for _ in 0..<2 {
                book.clock += 5
                played.take(book.snapshot, at: book.fetchedAt)
            }
        }
        #expect(played.alerts.first { $0.kind == .stumps }?.body == "Last101 5 (2), Last103 6 (1)")
        #expect(played.alerts.first { $0.kind == .inningsBreak }?.body == "Top score: Last103 6 (1)")
    }

    @Test func aWicketOfNobodyKnownTellsTheScore() throws {
        var book = TestScorebook()
        book.startInnings(batting: 1)
        var played = Played(book.snapshot.id)
        book.bowl("1 4")
        played.take(book.snapshot, at: book.fetchedAt)
        book.bowl("W")
        book.snapshot.players = [:]
        played.take(book.snapshot, at: book.fetchedAt)
        played.take(book.snapshot, at: book.fetchedAt + 5_000)
        let alert = try #require(played.alerts.first)
        #expect(alert.title == "MI 5/1: wicket")
        #expect(alert.body == "0.3 overs")
    }

    @Test(arguments: [
        ("Sharma", "MI 0/1: Sharma out first ball"), ("Chidambaram-Rao", "MI 0/1: Chidambaram-Rao out"),
        ("Warnakulasuriya-Vaas", "MI 0/1: Warnakulasuriya-Vaas out"),
        ("Warnakulasuriya-Patabendige-Vaas", "MI 0/1: wicket"),
    ])
    func aLongNameLeavesOutOfTheTitleWhatTheBodyHas(name: String, title: String) throws {
        var book = TestScorebook()
        book.snapshot.players[101] = Player(id: 101, fullName: "Rohit \(name)", lastName: name)
        book.startInnings(batting: 1)
        var played = Played(book.snapshot.id)
        played.take(book.snapshot, at: book.fetchedAt)
        book.bowl("W")
        let alert = try required(played.take(book.snapshot, at: book.fetchedAt)?.alert)
        #expect(alert.title == title)
        #expect(alert.body.contains("b Last211 0 (1)"))
    }

    @Test func whatDoesNotFitTheBodyIsCounted() throws {
        func told(_ mention: String, rank: Int) -> AlertComposer.Announcement {
            AlertComposer.Announcement(
                event: MatchEvent(key: mention, kind: .wicket, text: mention, at: 0),
                words: AlertWords(
                    titles: ["RR 183/3: \(mention)"], detail: nil, mention: mention, rank: rank, sound: false,
                    isKey: false, takesScore: true))
        }
        var book = TestScorebook()
        book.startInnings(batting: 1)
        book.bowl("1")
        let state = DisplayStateBuilder.contentState(of: book.snapshot, lastEvent: nil, result: nil, previous: nil)
        let many = (1...8).map { told("the \($0)th of many wickets in one go", rank: $0) }
        let alert = try #require(AlertComposer.alert(for: many, state: state, at: 0))
        #expect(alert.body.contains(" more · "))
        #expect(alert.body.count <= 140 && !alert.body.contains("…"))
    }

    @Test func aLongResultGoesOnInTheBody() throws {
        var book = TestScorebook()
        book.snapshot.home.name = "Royal Challengers Bangalore"
        book.startInnings(batting: 2)
        book.bowl(String(repeating: "• ", count: 120))
        book.startInnings(batting: 1)
        var played = Played(book.snapshot.id)
        played.take(book.snapshot, at: book.fetchedAt)
        book.bowl("1")
        book.snapshot.phase = .finished
        book.snapshot.winnerID = 1
        book.snapshot.note = "Royal Challengers Bangalore won by 10 wickets (With 119 balls remaining)"
        played.take(book.snapshot, at: book.fetchedAt)
        played.take(book.snapshot, at: book.fetchedAt + 5_000)
        let alert = try #require(played.alerts.first { $0.kind == .matchResult })
        #expect(alert.title == "MI won by 10 wickets")
        #expect(alert.body == "With 119 balls left · CSK 0/0 (20.0) · MI 1/0 (0.1)")
    }

    @Test func aSuperOverIsNamed() throws {
        var book = TestScorebook()
        for team in [Int64(1), 2, 2] {
            book.startInnings(batting: team)
            book.bowl("1 1 1 1 1 1")
        }
        book.startInnings(batting: 1)
        var played = Played(book.snapshot.id)
        played.take(book.snapshot, at: book.fetchedAt)
        book.bowl("1 W")
        played.take(book.snapshot, at: book.fetchedAt)
        played.take(book.snapshot, at: book.fetchedAt + 5_000)
        let alert = try #require(played.alerts.first { $0.kind == .wicket })
        #expect(alert.title == "MI 1/1: Last102 out first ball")
        #expect(alert.body == "b Last211 0 (1) · Super over · MI need 6 off 4")
    }
}
