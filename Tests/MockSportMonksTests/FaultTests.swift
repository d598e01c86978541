import FoundationEssentials
import func Glibc.system
import HTTPClient
import SportMonks
import TestKit
import Testing

@testable import MockSportMonks

@Suite struct FaultTests {
    private func fault(_ kind: ProviderFault.Kind, _ json: String = "{}") throws -> ProviderFault {
        let text = json == "{}" ? #"{"kind":"\#(kind.rawValue)"}"# : #"{"kind":"\#(kind.rawValue)",\#(json)}"#
        return try JSONDecoder().decode(ProviderFault.self, from: Data(text.utf8))
    }

    @Test func aFaultWaitsForItsTimeOrItsCall() throws {
        var schedule = FaultSchedule()
        let faults = [
            try fault(.html, #""atMs":2000"#), try fault(.cut, #""afterCalls":2,"count":2,"endpoint":"livescores""#),
        ]
        let isTaken = schedule.add(faults, at: 100)
        #expect(isTaken)
        var taken: [ProviderFault.Kind?] = []
        for (endpoint, now) in [
            (.livescores, 100), (.fixture, 100.5), (.livescores, 101), (.livescores, 101.5), (.livescores, 102),
            (.livescores, 103), (.livescores, 104),
        ] as [(ProviderEndpoint, Double)] {
            taken.append(schedule.take(for: endpoint, at: now)?.kind)
        }
        #expect(taken == [nil, nil, nil, .cut, .html, .cut, nil])
        #expect(schedule.faults.isEmpty)
        let many = try Array(repeating: fault(.html), count: FaultSchedule.faultsMax)
        let areTaken = schedule.add(many, at: 0)
        let isOneMore = schedule.add([try fault(.html)], at: 0)
        #expect(areTaken && !isOneMore)
    }

    @Test func faultsAreGivenAsAListOrWithATape() async throws {
        try await RunningMock.with { mock async throws in
            let list = #"[{"kind":503,"afterCalls":1},{"kind":"html","afterCalls":1}]"#
            #expect(try await mock.control("POST", "faults", list).status == 201)
            #expect(try await mock.get("livescores").status == 200)
            #expect(try await mock.get("livescores").status == 503)
            #expect(try await mock.get("livescores").header("content-type")?.hasPrefix("text/html") == true)
            let load = #"{"paused":true,"faults":[{"kind":"429","endpoint":"livescores"}]}"#
            #expect(try await mock.control("POST", "tapes/1178424/load", load).status == 201)
            #expect(try await mock.get("livescores").status == 429)
            #expect(try await mock.get("livescores").status == 200)
            for bad in [#"{"kind":"html","atMs":-1}"#, #"[{"kind":"html"},{"kind":"x"}]"#, #"[1]"#] {
                #expect(try await mock.control("POST", "faults", bad).status == 400, "\(bad)")
            }
            let wrong = #"{"faults":[{"kind":"x"}]}"#
            #expect(try await mock.control("POST", "tapes/1178424/load", wrong).status == 400)
        }
    }

    @Test func whatTheProviderForgetsIsNotListedAndNotFound() async throws {
        try await RunningMock.with { mock async throws in
            #expect(try await mock.control("POST", "tapes/1178424/load", #"{"paused":true}"#).status == 201)
            let answers = [("livescores", 200), ("fixtures", 200), ("fixtures/1178424", 404)]
            #expect(try await mock.control("POST", "faults", #"{"kind":"forgotten","count":3}"#).status == 201)
            for (path, status) in answers {
                let answer = try await mock.get(path)
                #expect(answer.status == status, "\(path)")
                if status == 200 { #expect(try LivescoresAnswer.fixtures(from: answer.body).isEmpty, "\(path)") }
            }
            for (path, _) in answers { #expect(try await mock.get(path).status == 200, "\(path)") }
            #expect(try LivescoresAnswer.fixtures(from: await mock.get("fixtures").body).count == 1)
        }
    }

    @Test func aTruncatedAnswerIsNoAnswer() async throws {
        try await RunningMock.with { mock async throws in
            #expect(try await mock.control("POST", "faults", #"{"kind":"truncated"}"#).status == 201)
            await #expect(throws: HTTPClientError.self) { try await mock.get("livescores") }
            #expect(try await mock.get("livescores").status == 200)
        }
    }

    @Test func aTimeoutLastsUntilTheClientGoes() async throws {
        try await RunningMock.with { mock async throws in
            #expect(try await mock.control("POST", "faults", #"{"kind":"timeout"}"#).status == 201)
            let began = ContinuousClock.now
            await #expect(throws: HTTPClientError.self) {
                try await mock.http.send(
                    HTTPClientRequest(
                        url: "\(mock.base)/api/v2.0/livescores?api_token=a%20token%20of%20two%20words",
                        timeout: .milliseconds(500), bodyBytesMax: 1 << 20))
            }
            #expect(ContinuousClock.now - began >= .milliseconds(450))
            #expect(try await mock.get("livescores").status == 200)
        }
    }

    @Test func aGzipBombInflatesToAHundredMegabytes() async throws {
        #expect(GzipBomb.bytes.count < 110_000)
        let said = try await withTemporaryDirectory { folder in
            try Data(GzipBomb.bytes).write(to: URL(filePath: folder.appending("bomb.gz")))
            let program = "import gzip,sys; b=gzip.open(sys.argv[1]).read(); print(len(b), b.count(32))"
            let output = folder.appending("output")
            #expect(system("python3 -c '\(program)' \(folder.appending("bomb.gz")) > \(output)") == 0)
            return String(decoding: FileManager.default.contents(atPath: output) ?? Data(), as: UTF8.self)
        }
        #expect(said == "\(GzipBomb.inflatedBytes) \(GzipBomb.inflatedBytes)\n")
        try await RunningMock.with { mock async throws in
            #expect(try await mock.control("POST", "faults", #"{"kind":"gzip-bomb"}"#).status == 201)
            await #expect(throws: HTTPClientError.self, "refused at its cap") { try await mock.get("livescores") }
        }
    }
}
