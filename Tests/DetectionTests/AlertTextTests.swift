import Detection
import Sightscreen
import Testing

/// What buzzes phones: the title has the news, the body the rest, and neither says a thing twice.
@Suite struct AlertTextTests {
    /// Every alert of the demo's T20 with its words.
    @Test(arguments: [
        ("WICKET! JC Buttler c Varun b Cummins 103 (61)", "RR 183/3 (16.4)"),
        ("HUNDRED! JC Buttler off 59 balls", "RR 181/2 (16.1)"),
        ("SV Samson is on fire: 38 off 18", "RR 163/1 (15.0)"),
        ("Innings break: RR 217/5 (20.0), KKR need 218", "Off 120 balls, 10.90 an over"),
        ("WICKET! SP Narine run out (Hetmyer) 0 (0)", "KKR 0/1 (0.1), need 218 off 119"),
        ("FIFTY! SS Iyer off 32 balls", "KKR 116/2 (10.0), need 102 off 60"),
        (
            "YS Chahal is on a hat-trick: Iyer, Mavi",
            "WICKET! Shivam Mavi c Parag b Chahal 0 (1) · KKR 180/7 (16.5), need 38 off 19"
        ),
        (
            "Hat-trick! Chahal: Iyer, Mavi, Cummins",
            "WICKET! PJ Cummins c Samson b Chahal 0 (1) · KKR 180/8 (17.0), need 38 off 18"
        ),
        ("Rajasthan Royals won by 7 runs", "RR 217/5 (20.0) · KKR 210/10 (19.4)"),
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

    @Test func titlesAreShortAndBodiesRepeatNothing() {
        #expect(Self.demo.count > 20)
        for alert in Self.demo {
            #expect(alert.title.count <= 60 && alert.body.count <= 140)
            #expect(!alert.title.isEmpty && !alert.body.isEmpty)
            let parts = alert.body.split(separator: " · ")
            #expect(Set(parts).count == parts.count, "\(alert.body)")
            #expect(parts.allSatisfy { !alert.title.contains($0) }, "\(alert.title) / \(alert.body)")
        }
    }

    @Test func aWicketOfNobodyKnownTellsTheScore() throws {
        var book = PlayBook()
        book.startInnings(batting: 1)
        var played = Played(book.snapshot.id)
        book.bowl("1 4")
        played.take(book.snapshot, at: book.fetchedAt)
        book.bowl("W")
        book.snapshot.players = [:]
        played.take(book.snapshot, at: book.fetchedAt)
        played.take(book.snapshot, at: book.fetchedAt + 5_000)
        let alert = try #require(played.alerts.first)
        #expect(alert.title == "WICKET! MI 5/1 (0.3)")
        #expect(alert.body == "MI v CSK · IPL · Match 12")
    }

    @Test func aLongResultGoesOnInTheBody() throws {
        var book = PlayBook()
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
        #expect(alert.title == "Royal Challengers Bangalore won by 10 wickets")
        #expect(alert.body == "With 119 balls left · CSK 0/0 (20.0) · MI 1/0 (0.1)")
    }

    @Test func aSuperOverIsNamed() throws {
        var book = PlayBook()
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
        #expect(alert.body == "Super over: MI 1/1 (0.2), need 6 off 4")
    }
}
