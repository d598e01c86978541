import Cricket
import Detection
import SightscreenModels
import Testing

/// A target that rain revised and only the note tells.
@Suite struct TargetMemoryTests {
    /// MI chase a revised 53 in eight overs.
    private func revised() -> TestScorebook {
        var book = TestScorebook()
        book.startInnings(batting: 2)
        book.bowl(String(repeating: "1 ", count: 120))
        book.startInnings(batting: 1)
        book.snapshot.note = "Target 53 runs in 8 overs"
        book.snapshot.revisedTarget = 53
        book.snapshot.revisedOvers = Overs(completed: 8, balls: 0)
        return book
    }

    @Test func itOutlivesANoteThatSaysSomethingElse() {
        var book = revised()
        var played = Played(book.snapshot.id)
        book.bowl("1 1")
        played.take(book.snapshot, at: book.fetchedAt)
        #expect(played.state?.expanded.equation == "MI need 51 off 46")
        // It rains again, and the note is of the rain.
        book.snapshot.note = "Rain stopped play"
        book.snapshot.phase = .interrupted
        book.snapshot.revisedTarget = nil
        book.snapshot.revisedOvers = nil
        book.clock += 60
        played.take(book.snapshot, at: book.fetchedAt)
        #expect(played.state?.expanded.equation == "MI need 51 off 46")
        // The result: ahead of par, ten wickets in hand, and no word of a rule.
        book.snapshot.phase = .finished
        book.snapshot.winnerID = 1
        book.snapshot.note = "Mumbai Indians won by 2 runs"
        book.clock += 60
        played.take(book.snapshot, at: book.fetchedAt)
        #expect(played.state?.expanded.outcome == .init(winnerAbbr: "MI", text: "won by 2 runs"))
        #expect(played.state?.expanded.target == "53")
    }

    @Test func aNoteWithThePlainTargetEndsIt() {
        var book = revised()
        var played = Played(book.snapshot.id)
        played.take(book.snapshot, at: book.fetchedAt)
        book.snapshot.revisedTarget = nil
        book.snapshot.revisedOvers = nil
        for note in ["Target 121 runs", nil] {
            book.snapshot.note = note
            book.bowl("1")
            played.take(book.snapshot, at: book.fetchedAt)
            #expect(played.state?.expanded.target == "121")
        }
    }

    /// A target in the provider's own field is its word in every frame: without it there is none.
    @Test func whatTheProviderTakesBackIsNotRemembered() {
        var book = revised()
        var played = Played(book.snapshot.id)
        book.snapshot.note = nil
        played.take(book.snapshot, at: book.fetchedAt)
        #expect(played.state?.expanded.target == "53")
        book.snapshot.revisedTarget = nil
        book.snapshot.revisedOvers = nil
        book.bowl("1")
        played.take(book.snapshot, at: book.fetchedAt)
        #expect(played.state?.expanded.target == "121")
    }

    /// "Target 53 runs", and no word of the overs: what is left is not known.
    @Test func withoutOversNobodyIsToldHowManyBallsAreLeft() {
        var book = revised()
        book.snapshot.note = "Target 53 runs"
        book.snapshot.revisedOvers = nil
        var played = Played(book.snapshot.id)
        book.bowl("1")
        played.take(book.snapshot, at: book.fetchedAt)
        #expect(played.state?.expanded.equation == "MI need 52 to win")
        #expect(played.state?.expanded.requiredRunRate == nil && played.state?.expanded.target == "53")
        // The provider lowered the scheduled overs, which are then those of the chase.
        book.snapshot.scheduledOvers = 8
        played.take(book.snapshot, at: book.fetchedAt + 5_000)
        #expect(played.state?.expanded.equation == "MI need 52 off 47")
    }
}
