import FoundationEssentials
import HTTPClient
import SportMonks
import TestKit
import Testing

@Suite struct ControlAPITests {
    @Test func listsItsTapes() async throws {
        try await RunningMock.with { mock in
            struct Tape: Decodable {
                var tapeId: String
                var title: String
            }
            let tapes = try JSONDecoder().decode([Tape].self, from: Data(try await mock.control("GET", "tapes").body))
            #expect(tapes.count == 14)
            #expect(
                tapes.first { $0.tapeId == "1304076" }?.title
                    == "Rajasthan Royals v Kolkata Knight Riders, 2022-04-18")
        }
    }

    @Test func stepsFrameByFrame() async throws {
        try await RunningMock.with { mock in
            let loaded = try await mock.load("1304076", speed: 40)
            #expect(loaded.matchId == "1304076" && loaded.speed == 40 && loaded.frames > 240)
            var labels: [String] = []
            for _ in 0..<5 { labels.append(try await mock.position("POST", "matches/1304076/step").label) }
            #expect(labels == ["NS", "Toss", "1st Innings", "S1 0.1 0/0", "S1 0.2 0/0"])
            let position = try await mock.position("GET", "matches/1304076")
            #expect(position.cursor == 5 && position.label == "S1 0.2 0/0" && !position.playing && !position.isLast)
        }
    }

    @Test func namesItsFrames() async throws {
        try await RunningMock.with { mock in
            let loaded = try await mock.load("1304076")
            let answer = try await mock.control("GET", "matches/1304076/labels")
            let labels = try JSONDecoder().decode([String].self, from: Data(answer.body))
            #expect(labels.count == loaded.frames)
            #expect(labels[..<5] == ["NS", "Toss", "1st Innings", "S1 0.1 0/0", "S1 0.2 0/0"])
            #expect(try await mock.control("GET", "matches/7/labels").status == 404)
        }
    }

    @Test func winds() async throws {
        try await RunningMock.with { mock in
            _ = try await mock.load("1304076")
            let later = try await mock.position("POST", "matches/1304076/seek", #"{"label":"S2 16.6"}"#)
            #expect(later.label.hasPrefix("S2 16.6 "))
            let earlier = try await mock.position("POST", "matches/1304076/seek", #"{"cursor":3}"#)
            #expect(earlier.label == "1st Innings")
            #expect(try await mock.position("POST", "matches/1304076/step").label == "S1 0.1 0/0")
            for bad in [#"{"label":"S9 1.1"}"#, #"{"cursor":0}"#, #"{"cursor":100000}"#] {
                #expect(try await mock.control("POST", "matches/1304076/seek", bad).status == 422, "\(bad)")
            }
            #expect(try await mock.control("POST", "matches/1304076/seek").status == 400)
        }
    }

    @Test func playsByItselfAndPauses() async throws {
        try await RunningMock.with { mock in
            let loaded = try await mock.load("1178424", speed: 400)
            _ = try await mock.position("POST", "matches/\(loaded.matchId)/play")
            try await eventually("a few balls are bowled") {
                try await mock.position("GET", "matches/1178424").cursor > 6
            }
            let paused = try await mock.position("POST", "matches/1178424/pause")
            #expect(!paused.playing)
            try await Task.sleep(for: .milliseconds(300))
            #expect(try await mock.position("GET", "matches/1178424").cursor == paused.cursor)
            let faster = try await mock.position("POST", "matches/1178424/speed", #"{"speed":100000}"#)
            #expect(faster.speed == 100_000)
            _ = try await mock.position("POST", "matches/1178424/play")
            try await eventually("the match is over") { try await mock.position("GET", "matches/1178424").isLast }
            let fixture = try FixtureAnswer.fixture(from: try await mock.get("fixtures/1178424").body)
            #expect(fixture.status == "Finished")
        }
    }

    @Test func loadsAtItsStart() async throws {
        try await RunningMock.with(load: "1178424", speed: 50_000) { mock in
            try await eventually("it played") { try await mock.position("GET", "matches/1178424").isLast }
        }
    }

    @Test func refusesWhatItCannotDo() async throws {
        try await RunningMock.with { mock in
            for (path, body, status) in [
                ("tapes/7/load", nil, 404), ("tapes/..%2F1178424/load", nil, 404), ("tapes/1178424/load", "{", 400),
                ("tapes/1178424/load", #"{"speed":0}"#, 400), ("tapes/1178424/load", #"{"lead":-1}"#, 400),
                ("matches/7/step", nil, 404), ("matches/x/step", nil, 404),
            ] as [(String, String?, Int)] {
                let answer = try await mock.control("POST", path, body)
                #expect(answer.status == status, "\(path) \(body ?? "")")
                #expect(answer.header("content-type") == "application/problem+json")
            }
            _ = try await mock.load("1178424")
            #expect(try await mock.control("POST", "matches/1178424/dance").status == 404)
        }
    }
}
