import FoundationEssentials
import HTTPClient
import SightscreenModels
import TestKit
import Testing
import Tokens

@testable import DeviceLab

@Suite struct TapeTests {
    @Test(arguments: [
        (#"{"command":"pause"}"#, "POST /control/matches/7/pause {}"),
        (#"{"command":"play","matchId":"7"}"#, "POST /control/matches/7/play {}"),
        (#"{"command":"step"}"#, "POST /control/matches/7/step {}"),
        (#"{"command":"stop"}"#, "POST /control/matches/7/stop {}"),
        (#"{"command":"seek","cursor":5}"#, #"POST /control/matches/7/seek {"cursor":5}"#),
        (#"{"command":"seek","label":"S1 2.3"}"#, #"POST /control/matches/7/seek {"label":"S1 2.3"}"#),
        (#"{"command":"speed","speed":2.5}"#, #"POST /control/matches/7/speed {"speed":2.5}"#),
        (#"{"command":"load","tapeId":"7"}"#, "POST /control/tapes/7/load {}"),
        (
            #"{"command":"fault","target":"provider","fault":{"kind":"503"}}"#,
            #"POST /control/faults {"kind":"503"}"#
        ),
        (
            #"{"command":"fault","target":"apns","fault":{"match":{"share":0.5},"rst":"CANCEL"}}"#,
            #"POST /faults {"match":{"share":0.5},"rst":"CANCEL"}"#
        ),
        (#"{"command":"clearFaults","target":"apns"}"#, "DELETE /faults "),
    ]) func handsOnCommands(_ body: String, _ call: String) async throws {
        try await RunningLab.with { lab async throws in
            let answer = try await lab.send("POST", "/api/tape", body)
            #expect(answer.status == 200 || answer.status == 204, "\(answer.text)")
            // Members of an object have no order.
            let calls = lab.standIns.calls
            #expect(calls == [call] || Self.isSame(calls, call), "\(calls)")
        }
    }

    private static func isSame(_ calls: [String], _ expected: String) -> Bool {
        guard calls.count == 1 else { return false }
        func parts(_ call: String) -> (Substring, JSONValue?) {
            let head = call.prefix { $0 != "{" }
            return (head, try? JSONDecoder().decode(JSONValue.self, from: Data(call.dropFirst(head.count).utf8)))
        }
        return parts(calls[0]) == parts(expected)
    }

    @Test func takesBackTheFaultsOfBoth() async throws {
        try await RunningLab.with { lab async throws in
            #expect(try await lab.send("POST", "/api/tape", #"{"command":"clearFaults"}"#).status == 204)
            #expect(lab.standIns.calls == ["DELETE /control/faults ", "DELETE /faults "])
        }
    }

    @Test(arguments: [
        ("{}", 400, "the body lacks command"), (#"{"command":"rewind"}"#, 400, #""rewind" is none of play, pause"#),
        (#"{"command":"seek","cursor":1.5}"#, 400, "cursor is not a whole number"),
        (#"{"command":"load","tapeId":"7","seed":-1}"#, 400, "seed is not a whole number"),
        (#"{"command":"fault","target":"all"}"#, 400, #""all" is none of provider, apns"#),
        (#"{"command":"seek"}"#, 400, "seek wants a label or a cursor"),
        (#"{"command":"speed"}"#, 400, "speed is missing"),
        (#"{"command":"load"}"#, 400, "tapeId is"), (#"{"command":"load","tapeId":"../7"}"#, 400, "tapeId is"),
        (#"{"command":"load","tapeId":"a/b"}"#, 400, "tapeId is"),
        (#"{"command":"load","tapeId":""}"#, 400, "tapeId is"),
        (#"{"command":"fault","fault":{}}"#, 400, "target is provider or apns"),
        (#"{"command":"fault","target":"provider"}"#, 400, "fault is an object"),
        (#"{"command":"fault","target":"provider","fault":[]}"#, 400, "fault is an object"),
        (#"{"command":"play","matchId":"9"}"#, 404, "that match is not loaded"),
        (#"{"command":"play","matchId":"8"}"#, 502, "mock-sportmonks answers 503"),
    ]) func saysWhatIsWrongWithACommand(_ body: String, _ status: Int, _ words: String) async throws {
        try await RunningLab.with { lab async throws in
            let answer = try await lab.send("POST", "/api/tape", body)
            #expect(answer.status == status)
            #expect(answer.detail?.contains(words) == true, "\(answer.text)")
        }
    }

    @Test func saysThatAStandInIsNotThere() async throws {
        try await RunningLab.with(configure: { $0.apns = "http://127.0.0.1:1" }) { lab async throws in
            let answer = try await lab.send(
                "POST", "/api/tape", #"{"command":"fault","target":"apns","fault":{}}"#)
            #expect(answer.status == 502 && answer.detail?.hasPrefix("apns-simulator does not answer") == true)
        }
    }

    @Test func showsWhereTheTapeStands() async throws {
        try await RunningLab.with { lab async throws in
            #expect(try await lab.state().matches.first?.tape.isPlaying == true)
            _ = try await lab.send("POST", "/api/tape", #"{"command":"pause"}"#)
            _ = try await lab.send("POST", "/api/tape", #"{"command":"step"}"#)
            try await eventually("the lab has seen it") {
                let tape = try await lab.state().matches.first?.tape
                return tape?.isPlaying == false && tape?.cursor == 13
            }
            #expect(try await lab.get("/api/tapes").text == #"[{"tapeId":"7","title":"MI v CSK, 2026"}]"#)
        }
    }

    @Test func marksInningsOversAndWickets() async throws {
        try await RunningLab.with { lab async throws in
            let answer = try await lab.get("/api/matches/7/timeline")
            let timeline = try JSONDecoder().decode(TapeTimeline.self, from: Data(answer.body))
            #expect(timeline.labels.count == 7)
            #expect(
                timeline.marks == [
                    .init(cursor: 2, kind: .innings), .init(cursor: 3, kind: .wicket), .init(cursor: 4, kind: .over),
                    .init(cursor: 6, kind: .innings), .init(cursor: 6, kind: .wicket),
                ])
            #expect(try await lab.get("/api/matches/9/timeline").status == 404)
            #expect(try await lab.get("/api/matches/x/timeline").status == 404)
        }
    }

    @Test func marksNothingOfAFrameWithFlaws() {
        let timeline = TapeTimeline(
            MatchID(1), labels: ["S1 0.1 0/0", "phantom S1 0.2 0/1", "S1 0.2 0/0", "wrong S1 0.3 0/5", "S1 0.3 1/0"])
        #expect(timeline.marks == [.init(cursor: 1, kind: .innings)])
    }
}
