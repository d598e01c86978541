import Cricket
import FoundationEssentials
import Glibc
import Logging
import Messages
import Postgres
import ServiceKit
import SightscreenModels
import SportMonks
import Synchronization
import TapeFile
import TestKit
import Testing
import Wire

@testable import ScorePoller

/// The whole service against a provider, a bus and a PostgreSQL.
@Suite struct ScorePollerServiceTests {
    static let postgres = PrivatePostgres(settings: ["fsync": "on", "full_page_writes": "on"])
    static let canary = "canary-token-93c1f"

    static func list(_ fixtures: String...) -> String { "{\"data\":[\(fixtures.joined(separator: ","))]}" }

    static func fixture(_ id: Int, runs: Int, updatedAt: String = "") -> String {
        """
        {"id":\(id),"league_id":3,"localteam_id":1,"visitorteam_id":2,"status":"1st Innings","type":"T20",\
        "runs":[{"team_id":1,"inning":1,"score":\(runs),"wickets":0,"overs":1,"updated_at":"\(updatedAt)"}]}
        """
    }

    /// Runs pollers against `provider` until `body` is over.
    /// - Parameters:
    ///   - areApart: each is on a host of its own, with a run directory named after its number.
    ///   - busPatience: most tests need no bus.
    static func run(
        _ provider: ProviderStub, settings more: [String: String] = [:], instances: Int = 1, areApart: Bool = false,
        log: LogLines = LogLines(), tracer: Tracer = .off, busPatience: Duration = .seconds(600),
        _ body: (_ folder: TemporaryDirectory, _ pool: PostgresPool, _ readiness: Readiness) async throws -> Void
    ) async throws {
        let url = try await postgres.makeDatabase()
        try await withTemporaryDirectory { folder in
            let readiness = Readiness()
            var running: [Task<Void, any Error>] = []
            for number in 0..<instances {
                let environment = [
                    "DATABASE_URL": url, "INSTANCE": "poller\(number)",
                    "SIGHTSCREEN_RUN_DIR": areApart ? folder.appending("\(number)") : folder.path,
                    "SIGHTSCREEN_STAND_INS": "1", "SPORTMONKS_URL": "http://127.0.0.1:\(provider.port)",
                    "SPORTMONKS_API_TOKEN": canary, "POLL_INTERVAL": "100ms", "LEASE_DURATION": "1s",
                ].merging(more) { $1 }
                let settings = try Settings(
                    environment: environment, arguments: [], service: ScorePollerConfiguration.service)
                let service = ScorePollerService(
                    try ScorePollerConfiguration(settings),
                    ServiceContext(logger: log.logger, readiness: readiness, tracer: tracer), busPatience: busPatience)
                running.append(Task { try await service.run() })
            }
            let pool = try PostgresPool(url: url, applicationName: "tests")
            let result: Result<Void, any Error>
            do {
                try await body(folder, pool, readiness)
                result = .success(())
            } catch {
                result = .failure(error)
            }
            running.forEach { $0.cancel() }
            for task in running { _ = await task.result }
            await pool.close()
            try result.get()
        }
    }

    @Test func offersAChangeTwiceAndThenNothing() async throws {
        let runs = Mutex(4)
        let provider = try ProviderStub { target, number in
            // The provider touches rows that have not changed.
            let seconds = 10 + number % 50
            return .init(
                body: Self.list(
                    Self.fixture(7, runs: runs.withLock { $0 }, updatedAt: "2026-10-09 13:00:\(seconds)")))
        }
        defer { provider.stop() }
        try await Self.run(provider) { folder, _, _ in
            let taken = Mutex<[Int]>([])
            let bus = WireServer(path: folder.appending("event-bus/b.sock"), logger: LogLines().logger)
            bus.answer(ScoreFrame.self) { frame, _ in
                taken.withLock { $0.append(frame.fixture.runs.first?.runs ?? -1) }
                return FrameReply(outcome: .committed)
            }
            let serving = Task { try await bus.run() }
            defer { serving.cancel() }
            func polls(_ count: Int) async throws {
                let before = provider.calls("/livescores")
                try await eventually("\(count) more polls") { provider.calls("/livescores") >= before + count }
            }
            try await eventually("the bus has the score twice") { taken.withLock { $0 } == [4, 4] }
            try await polls(5)
            #expect(taken.withLock { $0 } == [4, 4])
            runs.withLock { $0 = 5 }
            try await eventually("the bus has the new score twice") { taken.withLock { $0 } == [4, 4, 5, 5] }
            try await polls(5)
            #expect(taken.withLock { $0 } == [4, 4, 5, 5])
        }
    }

    @Test func aNewerFrameIsOfferedWhileTheBusHasNotAnsweredToTheOneBefore() async throws {
        let runs = Mutex(4)
        let provider = try ProviderStub { _, _ in .init(body: Self.list(Self.fixture(7, runs: runs.withLock { $0 }))) }
        defer { provider.stop() }
        let log = LogLines()
        try await Self.run(provider, settings: ["SPORTMONKS_HOURLY_LIMIT": "0"], log: log) { folder, _, _ in
            let came = Mutex<[Int]>([])
            let answered = Mutex<[Int]>([])
            let bus = WireServer(path: folder.appending("event-bus/b.sock"), logger: LogLines().logger)
            // As the bus does while a version waits for its stamp: who waited is answered when a newer one is there.
            bus.answer(ScoreFrame.self) { frame, _ in
                let mine = frame.fixture.runs.first?.runs ?? -1
                came.withLock { $0.append(mine) }
                guard mine < 9 else { return FrameReply(outcome: .committed) }
                try await eventually("a newer frame than \(mine)", within: .seconds(600)) {
                    came.withLock { $0.contains { $0 > mine } }
                }
                answered.withLock { $0.append(mine) }
                return FrameReply(outcome: .deferred, reason: "a newer frame came")
            }
            let serving = Task { try await bus.run() }
            defer { serving.cancel() }
            for score in 4...9 {
                runs.withLock { $0 = score }
                try await eventually("the bus has \(score)") { came.withLock { $0.contains(score) } }
            }
            try await eventually("the last one is settled") { came.withLock { $0.count { $0 == 9 } } == 2 }
            #expect(Set(answered.withLock { $0 }) == [4, 5, 6, 7, 8], "each gave way to the next")
            #expect(log.count("An event-bus does not answer") == 0, "none had to be given up")
        }
    }

    @Test func aPollThatLeadsToAVersionIsATraceAndOthersAreNone() async throws {
        let provider = try ProviderStub { _, number in
            .init(body: Self.list(Self.fixture(7, runs: min(number, 6)), Self.fixture(8, runs: 1)))
        }
        defer { provider.stop() }
        let log = SpanLog()
        let traces = Mutex<[Int: String]>([:])
        try await Self.run(provider, settings: ["SPORTMONKS_HOURLY_LIMIT": "0"], tracer: log.tracer) { folder, _, _ in
            let bus = WireServer(path: folder.appending("event-bus/b.sock"), logger: LogLines().logger)
            bus.answer(ScoreFrame.self) { frame, context in
                // The other match says nothing new; its polls do for this one.
                guard frame.matchID == MatchID(7), let runs = frame.fixture.runs.first?.runs else {
                    return FrameReply(outcome: .unchanged)
                }
                let isNew = traces.withLock { $0.updateValue(context.traceparent ?? "none", forKey: runs) == nil }
                return FrameReply(outcome: isNew ? .committed : .unchanged)
            }
            let serving = Task { try await bus.run() }
            defer { serving.cancel() }
            try await eventually("the last score is there twice") { provider.calls("/livescores") > 12 }
        }
        let offers = log.named("offer")
        let polls = log.named("poll")
        #expect(!offers.isEmpty && offers.count == polls.count)
        #expect(offers.allSatisfy { $0["match.id"] == .string("7") && $0["frame.outcome"] == .string("committed") })
        for offer in offers {
            let poll = try #require(polls.first { $0.context.traceID == offer.context.traceID })
            #expect(poll.parentID == nil && offer.parentID == poll.context.spanID)
            #expect(poll["poll.group"] == .string("all") && poll["poll.matches"] == .int(2))
            #expect(poll.kind == .client && poll.begunAt <= offer.begunAt)
        }
        // The request carries the offer, so that the bus goes on from there.
        let sent = Set(traces.withLock { Array($0.values) })
        #expect(sent.contains { text in offers.contains { $0.context.traceparent == text } })
    }

    @Test func theTokenIsInNoLogWhateverFails() async throws {
        let elsewhere = try ProviderStub { _, _ in .init(body: "{}") }
        defer { elsewhere.stop() }
        let provider = try ProviderStub { target, number in
            switch number % 8 {
            case 0: .init(status: 500, body: "token \(target)")
            case 1: .init(status: 302, headers: ["location: http://127.0.0.1:\(elsewhere.port)\(target)"])
            case 2: .init(body: "<html>\(target)</html>")
            case 3: nil
            case 4: .init(body: "{\"data\":[{\"id\":")
            case 5: .init(status: 401, body: "{\"message\":\"bad token \(target)\"}")
            case 6: .init(body: "oops")
            default: .init(body: "{\"data\":[{\"id\":9}]}")
            }
        }
        defer { provider.stop() }
        let log = LogLines()
        try await Self.run(provider, settings: ["POLL_INTERVAL": "100ms"], log: log) { _, _, _ in
            try await eventually("every failure was seen", within: .seconds(60)) {
                provider.calls("/livescores") >= 9
            }
        }
        #expect(provider.targets.allSatisfy { $0.contains(Self.canary) }, "the token goes where it belongs")
        #expect(log.all.count > 3)
        #expect(log.count(Self.canary) == 0, "\(log.all.filter { $0.contains(Self.canary) })")
        #expect(elsewhere.targets.isEmpty, "no redirect is followed")
    }

    @Test func recordsEveryAnswerAndNothingSecret() async throws {
        let provider = try ProviderStub { _, number in
            number % 2 == 0 ? .init(body: Self.list(Self.fixture(7, runs: number))) : .init(status: 503, body: "away")
        }
        defer { provider.stop() }
        try await withTemporaryDirectory { tapes in
            try await Self.run(provider, settings: ["RECORD_DIR": tapes.path]) { _, _, _ in
                try await eventually("some polls", within: .seconds(60)) { provider.calls("/livescores") >= 4 }
            }
            let names = try FileManager.default.contentsOfDirectory(atPath: tapes.path)
            #expect(names.count == 1)
            let name = try #require(names.first)
            #expect(name.hasPrefix("all-20") && name.hasSuffix("Z.tape"))
            let bytes = try #require(FileManager.default.contents(atPath: tapes.appending(name)))
            let reader = try TapeFileReader(bytes: Array(bytes))
            var answers: [RecordedAnswer] = []
            while let answer = try reader.next() { answers.append(answer) }
            #expect(!reader.isCut, "it was ended when the service was")
            #expect(answers.count >= 3)
            for (number, answer) in answers.enumerated() {
                #expect(answer.path == "/livescores")
                #expect(answer.status == (number % 2 == 0 ? 200 : 503))
                let text = String(decoding: answer.body, as: UTF8.self)
                #expect(text == (number % 2 == 0 ? Self.list(Self.fixture(7, runs: number)) : "away"))
            }
            #expect(answers.map(\.atMs) == answers.map(\.atMs).sorted())
        }
    }

    @Test func aTapeThatCannotBeWrittenIsSaidOnceAndKeepsNoPoll() async throws {
        let log = LogLines()
        try await withTemporaryDirectory { folder in
            let recorder = AnswerRecorder(folder: folder.appending("gone"), group: "all", logger: log.logger)
            for _ in 0..<5 { await recorder.record(path: "/livescores", status: 200, body: Array("{}".utf8)) }
            await recorder.finish()
        }
        #expect(log.count("cannot be written") == 1)
    }

    @Test func aHostThatNobodyKnowsIsNamedWithoutTheToken() async throws {
        let provider = try ProviderStub { _, _ in nil }
        provider.stop()
        let log = LogLines()
        try await Self.run(provider, settings: ["SPORTMONKS_URL": "http://nowhere.invalid"], log: log) { _, _, _ in
            try await eventually("the failure is logged") { log.count("no usable answer") > 0 }
        }
        #expect(log.count("http://nowhere.invalid/livescores") > 0)
        #expect(log.count(Self.canary) == 0)
    }

    @Test func spendsNoMoreThanTheAllowanceWithSeveralGroupsAndReplicas() async throws {
        let provider = try ProviderStub { _, _ in .init(body: "{\"data\":[]}") }
        defer { provider.stop() }
        let settings = ["SPORTMONKS_HOURLY_LIMIT": "12", "POLL_GROUPS": "a=1;b=2;c=3"]
        try await Self.run(provider, settings: settings, instances: 2) { _, pool, _ in
            try await eventually("each group has polled") { provider.calls("/livescores") >= 3 }
            // As if the hour were nearly over: what is left may be spent at once.
            try await pool.execute("UPDATE provider_calls SET hour_began = hour_began - interval '3603 seconds'")
            try await Task.sleep(for: .seconds(1))
            // One that is granted may be on its way.
            try await eventually("each that was granted has been made") {
                let used = try await pool.query("SELECT used FROM provider_calls WHERE endpoint = 'livescores'")
                return try used.map { try $0.int("used") } == [provider.calls("/livescores")]
            }
            #expect(provider.calls("/livescores") <= 12)
        }
    }

    @Test func aRefusalKeepsEveryGroupAndReplicaQuiet() async throws {
        let provider = try ProviderStub { _, number in
            number == 3 ? .init(status: 429, headers: ["Retry-After: 30"]) : .init(body: "{\"data\":[]}")
        }
        defer { provider.stop() }
        let log = LogLines()
        let settings = ["SPORTMONKS_HOURLY_LIMIT": "0", "POLL_GROUPS": "a=1;b=2"]
        try await Self.run(provider, settings: settings, instances: 2, log: log) { _, pool, readiness in
            try await eventually("the refusal is written down") {
                try await pool.query("SELECT 1 FROM provider_calls WHERE refused_until > now() + interval '20 seconds'")
                    .count == 1
            }
            // A call of the other group may have been on its way.
            try await Task.sleep(for: .milliseconds(300))
            let calls = provider.targets.count
            #expect(calls <= 6)
            try await Task.sleep(for: .seconds(1))
            #expect(provider.targets.count == calls)
            #expect(readiness.isReady, "the last scores stay and nobody has to act: \(readiness.missing)")
            #expect(log.count("asked for silence") <= 4, "each group of each replica says it once")
        }
    }

    @Test func aProviderThatIsAwayDegradesAndIsToldOfAtItsReturn() async throws {
        let isAway = Mutex(true)
        let provider = try ProviderStub { _, _ in
            isAway.withLock { $0 } ? .init(status: 503) : .init(body: "{\"data\":[]}")
        }
        defer { provider.stop() }
        let log = LogLines()
        try await Self.run(provider, log: log) { _, pool, readiness in
            func isDegraded() -> Bool { readiness.degraded.map(\.name) == ["provider"] }
            try await eventually("the breaker is open", within: .seconds(30), isDegraded)
            #expect(readiness.degraded.first?.reason == "the provider answered 503")
            #expect(readiness.isReady, "no other poller could do better")
            let calls = provider.targets.count
            try await Task.sleep(for: .seconds(1))
            #expect(provider.targets.count <= calls + 1, "it is skipped")
            let take = """
                UPDATE leases SET holder = 'another/1', epoch = epoch + 1, expires_at = clock_timestamp() + $1::interval
                WHERE name = 'poll:all'
                """
            try await pool.execute(take, [.text("1 minute")])
            try await eventually("another one reports on the provider") { readiness.degraded.isEmpty }
            try await pool.execute(take, [.text("0")])
            try await eventually("it is its turn again", within: .seconds(30), isDegraded)
            isAway.withLock { $0 = false }
            try await eventually("one trial call closes it", within: .seconds(30)) { readiness.degraded.isEmpty }
            #expect(log.count("no usable answer") == 1)
            try await eventually("it is said") { log.count("answers again") == 1 }
        }
    }

    @Test func aMatchThatVanishedIsReadByItselfAndNotOnceMoreWithEveryPoll() async throws {
        let provider = try ProviderStub { target, _ in
            if target.hasPrefix("/livescores") { return .init(body: "{\"data\":[]}") }
            if target.hasPrefix("/fixtures/7?") { return .init(body: "{\"data\":\(Self.fixture(7, runs: 99))}") }
            return .init(status: 404, body: "{\"message\":\"record not found\"}")
        }
        defer { provider.stop() }
        let log = LogLines()
        try await Self.run(provider, log: log) { folder, pool, _ in
            let taken = Mutex<[MatchID: Int]>([:])
            let bus = WireServer(path: folder.appending("event-bus/b.sock"), logger: LogLines().logger)
            bus.answer(ScoreFrame.self) { frame, _ in
                taken.withLock { $0[frame.matchID] = frame.fixture.runs.first?.runs }
                return FrameReply(outcome: .committed)
            }
            let serving = Task { try await bus.run() }
            defer { serving.cancel() }
            let began = ContinuousClock.now
            try await pool.execute(
                """
                INSERT INTO active_matches (match_id, display_state)
                VALUES (7, 'live'), (8, 'live'), (9, 'completed'), (10, 'scheduled')
                """)
            try await eventually("the final state is offered") { taken.withLock { $0[MatchID(7)] } == 99 }
            try await eventually("the deleted one was tried") { provider.calls("/fixtures/8?") == 1 }
            let polls = provider.calls("/livescores")
            try await eventually("more polls") { provider.calls("/livescores") >= polls + 10 }
            // A slow machine may have come to the first repeat.
            let most = 1 + Int((ContinuousClock.now - began) / MissingMatches.firstPause)
            #expect(provider.calls("/fixtures/7?") <= most && provider.calls("/fixtures/8?") <= most)
            #expect(provider.calls("/fixtures/9?") == 0 && provider.calls("/fixtures/10?") == 0)
            #expect(log.count("cannot be read") == 1)
        }
    }

    static func matches(_ count: Int, runs: Int) -> String {
        "{\"data\":[\((1...count).map { fixture($0, runs: runs) }.joined(separator: ","))]}"
    }

    /// Some that are older than the request close the connection over which it comes.
    @Test(arguments: [true, false])
    func aBusThatHandsNothingOverIsAskedOnce(_ itCloses: Bool) async throws {
        let provider = try ProviderStub { _, number in .init(body: Self.matches(6, runs: number / 5)) }
        defer { provider.stop() }
        try await Self.run(provider) { folder, _, _ in
            let taken = Mutex<Set<MatchID>>([])
            let asked = Mutex(0)
            let connections = Mutex(0)
            let path = folder.appending("event-bus/a.sock")
            let serving = Mutex<Task<Void, any Error>?>(nil)
            @Sendable func serve() {
                let bus = WireServer(path: path, logger: LogLines().logger)
                bus.onConnect { _ in connections.withLock { $0 += 1 } }
                bus.answer(ScoreFrame.self) { frame, _ in
                    taken.withLock { _ = $0.insert(frame.matchID) }
                    return FrameReply(outcome: .committed)
                }
                bus.answer(HandOverMatch.self) { _, _ -> MatchHandedOver in
                    asked.withLock { $0 += 1 }
                    if itCloses { serving.withLock { $0?.cancel() } }
                    throw WireError(.refused, "unknown type")
                }
                serving.withLock { $0 = Task { try await bus.run() } }
            }
            serve()
            defer { serving.withLock { $0?.cancel() } }
            try await eventually("the bus has all matches") { taken.withLock { $0.count } == 6 }
            let other = WireServer(path: folder.appending("event-bus/b.sock"), logger: LogLines().logger)
            other.answer(ScoreFrame.self) { _, _ in FrameReply(outcome: .notHolder) }
            let servingToo = Task { try await other.run() }
            defer { servingToo.cancel() }
            try await eventually("it is asked for one") { asked.withLock { $0 } > 0 }
            if itCloses {
                _ = await serving.withLock { $0 }?.result
                serve()
                try await eventually("it is connected again") { connections.withLock { $0 } == 2 }
            }
            let polls = provider.calls("/livescores")
            taken.withLock { $0 = [] }
            try await eventually("polls go on") { provider.calls("/livescores") >= polls + 10 }
            try await eventually("the bus gets all matches as before") { taken.withLock { $0.count } == 6 }
            #expect(asked.withLock { $0 } == 1)
        }
    }

    @Test(arguments: ["", "a=3;b=5"])
    func theGroupsGoWhereThereIsABus(_ groups: String) async throws {
        let provider = try ProviderStub { _, number in .init(body: Self.list(Self.fixture(7, runs: number))) }
        defer { provider.stop() }
        try await Self.run(
            provider, settings: groups.isEmpty ? [:] : ["POLL_GROUPS": groups], instances: 2, areApart: true,
            busPatience: .milliseconds(500)
        ) { folder, _, _ in
            let taken = [Counted(), Counted()]
            func bus(on host: Int) -> Task<Void, any Error> {
                let path = folder.appending("\(host)/event-bus/b\(host).sock")
                let bus = WireServer(path: path, logger: LogLines().logger)
                bus.answer(ScoreFrame.self) { _, _ in
                    taken[host].increment()
                    return FrameReply(outcome: .committed)
                }
                return Task { try await bus.run() }
            }
            for host in [0, 1, 0] {
                let serving = bus(on: host)
                let before = taken[host].count
                try await eventually("frames go to host \(host)") { taken[host].count > before + 3 }
                serving.cancel()
                _ = await serving.result
            }
        }
    }

    @Test func aBusThatHangsGetsNothingMore() async throws {
        let provider = try ProviderStub { _, number in .init(body: Self.matches(4, runs: number / 5)) }
        defer { provider.stop() }
        try await Self.run(provider) { folder, _, _ in
            // It takes the first frames and never answers.
            let hung = Mutex(0)
            let bus = WireServer(path: folder.appending("event-bus/a.sock"), logger: LogLines().logger)
            bus.answer(ScoreFrame.self) { _, _ -> FrameReply in
                hung.withLock { $0 += 1 }
                try await Task.sleep(for: .seconds(600))
                return FrameReply(outcome: .committed)
            }
            let serving = Task { try await bus.run() }
            defer { serving.cancel() }
            try await eventually("it has them all") { hung.withLock { $0 } >= 4 }
            let taken = Mutex<[MatchID: Int]>([:])
            let handedOver = Mutex(0)
            let other = WireServer(path: folder.appending("event-bus/b.sock"), logger: LogLines().logger)
            other.answer(ScoreFrame.self) { frame, _ in
                taken.withLock { $0[frame.matchID, default: 0] += 1 }
                return FrameReply(outcome: .committed)
            }
            other.answer(HandOverMatch.self) { request, _ in
                handedOver.withLock { $0 += 1 }
                return MatchHandedOver(matchID: request.matchID)
            }
            let servingToo = Task { try await other.run() }
            defer { servingToo.cancel() }
            try await eventually("the other one takes them") { taken.withLock { $0.count } == 4 }
            try await eventually("again and again") { taken.withLock { $0.values.allSatisfy { $0 > 4 } } }
            #expect(handedOver.withLock { $0 } == 0)
            #expect(hung.withLock { $0 } <= 16, "two of each, and once more by those who had not heard of it")
        }
    }

    @Test func aMatchThatIsSlowToReadKeepsNoOtherWaiting() async throws {
        let runs = Mutex(0)
        let isHeld = Mutex(true)
        let provider = try ProviderStub { target, _ in
            if target.hasPrefix("/livescores") {
                return .init(body: Self.list(Self.fixture(7, runs: runs.withLock { $0 })))
            }
            while isHeld.withLock({ $0 }) { usleep(10_000) }
            return nil
        }
        defer { provider.stop() }
        try await Self.run(provider) { folder, pool, _ in
            defer { isHeld.withLock { $0 = false } }
            let taken = Mutex<[Int]>([])
            let bus = WireServer(path: folder.appending("event-bus/b.sock"), logger: LogLines().logger)
            bus.answer(ScoreFrame.self) { frame, _ in
                taken.withLock { $0.append(frame.fixture.runs.first?.runs ?? -1) }
                return FrameReply(outcome: .committed)
            }
            let serving = Task { try await bus.run() }
            defer { serving.cancel() }
            try await pool.execute(
                "INSERT INTO active_matches (match_id, display_state) VALUES (8, 'live'), (9, 'live')")
            try await eventually("a match is read by itself") { provider.calls("/fixtures/") == 1 }
            let polls = provider.calls("/livescores")
            runs.withLock { $0 = 4 }
            try await eventually("the polls go on") { provider.calls("/livescores") >= polls + 5 }
            try await eventually("the score goes on") { taken.withLock { $0.contains(4) } }
            #expect(isHeld.withLock { $0 }, "the read has had no answer all the while")
        }
    }
}

private final class Counted: Sendable {
    private let value = Mutex(0)
    var count: Int { value.withLock { $0 } }
    func increment() { value.withLock { $0 += 1 } }
}
