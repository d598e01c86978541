import FoundationEssentials
import HTTPClient
import SportMonks
import TapeFile
import Tapes
import TestKit
import Testing

@testable import MockSportMonks

@Suite struct DirtyTapeTests {
    @Test func loadsAVariantBySeed() async throws {
        try await RunningMock.with { mock in
            let body = #"{"paused":true,"variant":"corrections","seed":7}"#
            let dirty = try await mock.position("POST", "tapes/1178424/load", body)
            #expect(dirty.variant == "corrections" && dirty.seed == 7)
            let clean = try await mock.load("1178424")
            #expect(clean.variant == "clean" && clean.frames < dirty.frames)
            var labels: [String] = []
            for _ in 0..<dirty.frames {
                labels.append(try await mock.position("POST", "matches/\(dirty.matchId)/step").label)
            }
            #expect(labels.contains { $0.hasPrefix("wrong S1 ") })
            let found = try await mock.position("POST", "matches/\(dirty.matchId)/seek", #"{"label":"S1 2.3"}"#)
            #expect(found.label.hasPrefix("S1 2.3 "))
            for bad in [#"{"variant":"wild"}"#, #"{"seed":-1}"#, #"{"ballsPerFrame":0}"#] {
                #expect(try await mock.control("POST", "tapes/1178424/load", bad).status == 400, "\(bad)")
            }
        }
    }

    @Test func showsEveryThirdBall() async throws {
        try await RunningMock.with { mock in
            let body = #"{"paused":true,"ballsPerFrame":3}"#
            let some = try await mock.position("POST", "tapes/1178424/load", body)
            #expect(some.frames < 35)
            let found = try await mock.position("POST", "matches/1178424/seek", #"{"label":"S1 0.2"}"#)
            #expect(found.label.hasPrefix("S1 0."), "the next frame that there is")
            let next = try await mock.position("POST", "matches/1178424/step")
            #expect(next.cursor == found.cursor + 1)
        }
    }

    @Test func loadsItsVariantAtItsStart() async throws {
        try await RunningMock.with(load: "1178424", variant: .storm, seed: 3) { mock in
            let position = try await mock.position("GET", "matches/1178424")
            #expect(position.variant == "storm" && position.seed == 3)
        }
    }

    // MARK: Recorded tapes

    private static let playedAt = 1_791_547_200

    /// Two matches as a recorder would have seen them every five seconds.
    private static func recording() throws -> [UInt8] {
        let recorded = playedAt - 60
        let writer = try TapeFileWriter(
            TapeFileHeader(
                title: "Two matches", recordedAt: ProviderTime.text(recorded).replacing(".000000Z", with: "Z")))
        let data = try #require(FileManager.default.contents(atPath: "\(RunningMock.tapes)/1178424.json"))
        let match = try CricsheetMatch(json: [UInt8](data))
        let clock = TapeClock(startsAt: playedAt)
        let tape = Tape(match: match, id: 1_178_424)
        let other = Tape(match: match, id: 77)
        var bytes: [UInt8] = []
        for second in stride(from: -60, through: 400, by: 5) {
            let index = tape.frames.lastIndex { $0.offset <= second } ?? 0
            var elements = [tape.livescoreFixture(index, clock: clock)]
            if second > 0 { elements.append(other.livescoreFixture(index, clock: clock)) }
            if second == 400 { elements.removeFirst() }
            var json = JSONBytes()
            json.object {
                $0.key("data")
                $0.array { array in elements.forEach { array.raw($0) } }
            }
            let isLost = second == 100
            bytes += try writer.append(
                RecordedAnswer(
                    atMs: Int64(second + 60) * 1_000, path: "/livescores", status: isLost ? 502 : 200,
                    body: isLost ? Array("<html>".utf8) : json.bytes))
        }
        let last = tape.livescoreFixture(tape.frames.count - 1, clock: clock)
        bytes += try writer.append(
            RecordedAnswer(
                atMs: 470_000, path: "/fixtures/1178424", status: 200,
                body: Array(#"{"data":"#.utf8) + last + Array("}".utf8)))
        return try bytes + writer.finish()
    }

    private func withRecording(_ body: (RunningMock) async throws -> Void) async throws {
        try await withTemporaryDirectory { folder in
            try Data(try Self.recording()).write(to: URL(filePath: folder.appending("evening.tape")))
            try Data("no tape".utf8).write(to: URL(filePath: folder.appending("broken.tape")))
            try await RunningMock.with(tapes: folder.path) { mock in try await body(mock) }
        }
    }

    @Test func playsARecordedTape() async throws {
        try await withRecording { mock in
            struct Entry: Decodable, Equatable {
                var tapeId: String
                var title: String
            }
            let tapes = try JSONDecoder().decode([Entry].self, from: Data(try await mock.control("GET", "tapes").body))
            #expect(tapes == [Entry(tapeId: "evening", title: "Two matches")])
            #expect(try await mock.control("POST", "tapes/broken/load").status == 422)
            #expect(try await mock.control("POST", "tapes/evening/load", #"{"fixture":5}"#).status == 422)
            let loaded = try await mock.load("evening")
            #expect(loaded.matchId == "1178424" && loaded.title == "Two matches")
            let again = try await mock.load("evening")
            #expect(again.matchId == "9000000000", "its id is taken")
            let now = Int(Date.now.timeIntervalSince1970)
            for id in [loaded.matchId, again.matchId] {
                let label = try await mock.position("POST", "matches/\(id)/seek", #"{"label":"S1 0.3"}"#).label
                #expect(label.hasPrefix("S1 0.3 "))
            }
            let answer = try LivescoresAnswer(try await mock.get("livescores").body)
            #expect(answer.problems.isEmpty)
            #expect(answer.fixtures.map(\.id) == [1_178_424, 9_000_000_000])
            #expect(answer.fixtures.allSatisfy { $0.balls.count == answer.fixtures[0].balls.count })
            let text = String(decoding: try await mock.get("fixtures/9000000000").body, as: UTF8.self)
            #expect(text.contains(#""fixture_id":9000000000"#) && !text.contains("1178424,"))
            let dates = text.split(separator: #""updated_at":""#).dropFirst().compactMap {
                ProviderTime.seconds(String($0.prefix(27)))
            }
            #expect((dates.max() ?? 0) >= now - 5 && (dates.max() ?? 0) <= now + 60)
            let start = text.split(separator: #""starting_at":""#).dropFirst().first.map { String($0.prefix(27)) } ?? ""
            #expect(abs((ProviderTime.seconds(start) ?? 0) - now) < 60)
        }
    }

    @Test func aRecordedTapeGoesBackAndToItsEnd() async throws {
        try await withRecording { mock in
            let loaded = try await mock.load("evening")
            _ = try await mock.position("POST", "matches/1178424/seek", #"{"cursor":\#(loaded.frames - 1)}"#)
            #expect(try LivescoresAnswer(try await mock.get("livescores").body).fixtures.isEmpty, "it has left")
            let end = try await mock.position("POST", "matches/1178424/step")
            #expect(end.isLast && end.label == "Finished")
            #expect(try FixtureAnswer.fixture(from: try await mock.get("fixtures/1178424").body).note == "No result")
            _ = try await mock.position("POST", "matches/1178424/seek", #"{"label":"NS"}"#)
            _ = try await mock.position("POST", "matches/1178424/seek", #"{"label":"S1 0.1"}"#)
            let fixture = try #require(try LivescoresAnswer(try await mock.get("livescores").body).fixtures.first)
            #expect(fixture.balls.count == 1)
            let other = try await mock.position("POST", "tapes/evening/load", #"{"fixture":77,"paused":true}"#)
            #expect(other.matchId == "77")
        }
    }

    @Test func changesOnlyTheMembersThatItNames() {
        var rewriter = MemberRewriter(
            Array(
                #"{"id":7,"a":{"id":7,"fixture_id": 7},"note":"\"fixture_id\":7","fixture_id":70,"b":"fixture_id"}"#
                    .utf8))
        rewriter.replace("fixture_id") { $0 == "7" ? "9000000000" : nil }
        rewriter.replaceOwnID("9000000000")
        #expect(
            String(decoding: rewriter.bytes, as: UTF8.self)
                == #"{"id":9000000000,"a":{"id":7,"fixture_id": 9000000000},"note":"\"fixture_id\":7","fixture_id":70,"b":"fixture_id"}"#
        )
    }
}
