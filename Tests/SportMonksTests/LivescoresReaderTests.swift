import SportMonks
import TestKit
import Testing

@Suite struct LivescoresReaderTests {
    private func fixture(_ id: Int, runs: Int) -> String {
        Recording.fixture(id: "\(id)", #""runs":[{"team_id":1,"inning":1,"score":\#(runs)}]"#)
    }

    @Test func readsEveryAnswerAsIfItWereTheFirst() throws {
        var reader = LivescoresReader()
        for runs in [[1, 1, 1], [1, 2, 1], [1, 2, 1], [3, 2, 3], [1, 1, 1]] {
            let bytes = Recording.list(
                fixture(7, runs: runs[0]), "17", fixture(8, runs: runs[1]), fixture(9, runs: runs[2]))
            let answer = try reader.read(bytes)
            let whole = try LivescoresAnswer(bytes)
            #expect(answer.fixtures == whole.fixtures)
            #expect(answer.problems == whole.problems)
        }
    }

    @Test func takesApartOnlyWhatIsNew() throws {
        var reader = LivescoresReader()
        var reused: [Int] = []
        for runs in [1, 1, 2, 2, 2] {
            reused.append(try reader.read(Recording.list(fixture(7, runs: 0), fixture(8, runs: runs))).reused)
        }
        #expect(reused == [0, 2, 1, 2, 2])
    }

    @Test func knowsAFixtureThatMovedInTheList() throws {
        var reader = LivescoresReader()
        _ = try reader.read(Recording.list(fixture(7, runs: 0), fixture(8, runs: 1)))
        let answer = try reader.read(Recording.list(fixture(8, runs: 1), fixture(7, runs: 0)))
        #expect(answer.reused == 2)
        #expect(answer.fixtures.map(\.id) == [8, 7])
    }

    @Test func aBadAnswerBetweenTwoGoodOnesCostsNothing() throws {
        var reader = LivescoresReader()
        let good = Recording.list(fixture(7, runs: 0))
        _ = try reader.read(good)
        for bad in ["", "<html>", "{\"data\":[{", "{\"data\":null}", "{\"data\":\"x\"}", "[]"] {
            do {
                _ = try reader.read(Array(bad.utf8))
                Issue.record("\(bad) was read")
            } catch {
                #expect(throws: error) { try LivescoresAnswer(Array(bad.utf8)) }
            }
        }
        let again = try reader.read(good)
        #expect(again.reused == 1)
    }

    @Test func readsRecordedAnswersChangedInEveryWayLikeTheWhole() throws {
        let seed = UInt64.random(in: .min ... .max)
        var random = SeededGenerator(seed: seed)
        var reader = LivescoresReader()
        let samples = [
            try Recording.asList(Recording.pakistanSriLanka()), try Recording.asList(Recording.indiaWestIndies()),
            try Recording.schedule(),
        ]
        var good = 0
        for round in 0..<300 {
            let bytes = Mutation.of(samples[round % samples.count], &random)
            let whole = Result { () throws(ProviderAnswerError) in try LivescoresAnswer(bytes) }
            let part = Result { () throws(ProviderAnswerError) in try reader.read(bytes) }
            switch (whole, part) {
            case (.success(let whole), .success(let part)):
                good += 1
                #expect(whole.fixtures == part.fixtures, "seed \(seed), round \(round)")
                #expect(whole.problems == part.problems, "seed \(seed), round \(round)")
                for fixture in part.fixtures { _ = try? fixture.snapshot() }
            case (.failure(let whole), .failure(let part)):
                #expect(whole == part, "seed \(seed), round \(round)")
            default:
                Issue.record("seed \(seed), round \(round): \(whole) is not \(part)")
            }
        }
        #expect(good > 30, "seed \(seed): most mutations must not break the whole answer")
    }
}
