import Cricket
import Detection
import SightscreenModels
import Testing

/// What fans read about real matches, a few sentences of each kind.
@Suite struct EventTextTests {
    @Test(
        arguments: [
            (392212, "1/1.4", .wicket, "Gibbs c Tendulkar b Kulkarni 0 (5)"),
            (392212, "1/9.4", .wicket, "Gilchrist b Raje 25 (29)"),
            (392212, "1/19.1", .wicket, "Rao run out (Bravo) 28 (17)"),
            (392212, "2/15.6", .onHatTrick, "Sharma is on a hat-trick: Nayar, Harbhajan Singh"),
            (501255, "1/5.3", .wicket, "Gambhir c de Villiers b Aravind 7 (9)"),
            (501255, "1/2.3", .wicket, "Morgan c Pomersbach b Khan 2 (5)"),
            (501255, "1/12.6", .inningsBreak, "RCB need 102 (revised)"),
            (501255, "2/12.3", .matchResult, "Royal Challengers Bangalore won by 4 wickets with 3 balls left (D/L)"),
            (1_144_530, "1/22.4", .wicket, "Williamson c Buttler b Plunkett 30 (53)"),
            (1_144_530, "1/6.2", .wicket, "Guptill lbw b Woakes 19 (18)"),
            (1_144_530, "1/46.5", .wicket, "de Grandhomme c sub b Woakes 16 (28)"),
            (1_144_530, "2/49.6", .inningsBreak, "Scores level: ENG 241 all out (50.0)"),
            (1_144_530, "3/0.6", .inningsBreak, "ENG set NZ 16 to win"),
            (1_144_530, "4/0.6", .matchResult, "Match tied (England won on boundary count)"),
            (1_178_424, "1/1.6", .hatTrick, "Hat-trick! Gopal: Kohli, de Villiers, Stoinis"),
            (1_178_424, "1/4.1", .extras, "No-ball, Thomas to Klaasen"),
            (1_178_424, "1/4.2", .extras, "1 bye, Thomas to Negi"),
            (1_216_517, "4/0.6", .inningsBreak, "Super over tied: MI 5/1 (1.0)"),
            (1_216_517, "6/0.4", .matchResult, "Match tied (Kings XI Punjab won the Super Over)"),
            (1_256_724, "2/15.1", .wicket, "Salt st Pooran b Hosein 3 (6)"),
            (1_256_724, "2/19.5", .hatTrick, "Four in four! Holder: Jordan, Billings, Rashid, Mahmood"),
            (1_270_836, "1/19.4", .milestone, "FIFTY! Mahmudullah off 52 balls"),
            (1_273_750, "1/2.2", .extras, "2 wides, Ali to de Kock"),
            (1_273_750, "1/8.5", .extras, "2 leg-byes, Jordan to van der Dussen"),
            (1_304_066, "1/0.3", .extras, "4 runs, Chameera to Padikkal"),
            (1_304_066, "1/18.2", .wicket, "Ashwin retired out 28 (23)"),
            (1_304_076, "1/6.5", .milestone, "FIFTY! Buttler off 29 balls"),
            (1_304_076, "1/16.1", .milestone, "HUNDRED! Buttler off 59 balls"),
            (1_304_076, "1/0.5", .extras, "No-ball and 1 run, Yadav to Buttler"),
            (1_384_429, "1/24.2", .wicket, "Mathews timed out 0 (0)"),
            (1_426_299, "2/15.5", .wicket, "Jadeja obstructing the field 5 (6)"),
            (426416, "1/139.2", .inningsBreak, "End of innings: ENG 446 all out (139.2)"),
            (426416, "3/36.5", .matchResult, "England won by an innings and 225 runs"),
        ] as [(Int64, String, EventKind, String)])
    func realMatchesReadWell(id: Int64, place: String, kind: EventKind, text: String) throws {
        let events = EventDetector.events(in: try RealMatch(id).last())
        let found = events.filter { $0.kind == kind && "\($0.innings ?? 0)/\($0.ball ?? "")" == place }.map(\.text)
        // Of a milestone the ball is not known by heart: the sentence is enough.
        #expect(found.contains(text) || (kind == .milestone && events.contains { $0.text == text }), "\(found)")
    }

    @Test(arguments: RealMatch.ids)
    func noSentenceHasAPlaceholderATwiceOrAGap(id: Int64) throws {
        for event in EventDetector.events(in: try RealMatch(id).last()) {
            #expect(!event.text.isEmpty && event.text.count <= 100, "\(event.text)")
            for wrong in ["Player ", "  ", " ,", "nil", "()", " 1 runs", " 1 balls", " 1 wickets"] {
                #expect(!event.text.contains(wrong), "\(event.text)")
            }
        }
    }

    @Test func withoutNamesASentenceSaysWhatItCan() {
        var book = TestScorebook()
        book.startInnings(batting: 1)
        book.bowl("4 6 6 6 1 • W • • • • • • W W W lb wd 4 4 6 6 6 6 6 6 6 6 6 6 6 6")
        let named = EventDetector.events(in: book.snapshot)
        book.snapshot.players = [:]
        let unnamed = EventDetector.events(in: book.snapshot)
        #expect(named.map(\.key) == unnamed.map(\.key))
        let texts = Set(unnamed.map(\.text))
        for text in texts {
            #expect(!text.isEmpty && !text.contains("Player") && !text.contains("Last") && !text.hasSuffix(" "))
            #expect(text.contains(where: \.isLetter) && !text.contains("  "))
        }
        #expect(
            texts.isSuperset(of: [
                "FOUR!", "SIX!", "Wicket", "1 run", "No run", "1 leg-bye", "Wide", "New batter", "Hat-trick!",
                "On a hat-trick", "Three sixes in a row!", "End of over 1: MI 23/0",
            ]), "\(texts)")
    }

    @Test func theFieldersAndBowlersWhoAreKnownAreNamed() {
        var book = TestScorebook()
        book.startInnings(batting: 1)
        book.bowl("W")
        book.snapshot.players[101] = nil
        #expect(EventDetector.events(in: book.snapshot).first { $0.kind == .wicket }?.text == "Wicket for Last211")
    }

    @Test func aDeclarationIsCalledOne() {
        var book = TestScorebook(format: .firstClass, overs: nil)
        book.startInnings(batting: 1)
        book.bowl("4 4 W")
        book.snapshot.phase = .inningsBreak
        let texts = EventDetector.events(in: book.snapshot).filter { $0.kind == .inningsBreak }.map(\.text)
        #expect(texts == ["Innings declared: MI 8/1 (0.3)"])
    }
}
