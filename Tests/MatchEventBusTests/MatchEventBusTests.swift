import LACoordinator
import Cricket
import Detection
import FoundationEssentials
import Logging
import MatchEventBus
import Messages
import Metrics
import Postgres
import ServiceKit
import SightscreenModels
import SportMonks
import Store
import Synchronization
import TestKit
import Testing

@Suite struct MatchEventBusTests {
    /// A bus as a process of its own would have it.
    struct Process {
        let bus: MatchEventBus
        let leases: LeaseKeeper

        init(
            _ pool: PostgresPool, instance: String, timing: MatchTiming = MatchTiming(),
            leaseDuration: Duration = .seconds(8), tracer: Tracer = .off,
            logger: Logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
            publish: @escaping @Sendable (MatchUpdate) async -> Void = { _ in }
        ) {
            leases = LeaseKeeper(
                store: LeaseStore(pool: pool), instance: instance, duration: leaseDuration, logger: logger)
            bus = MatchEventBus(
                store: MatchStore(pool: pool), leases: leases, timing: timing, leaseDuration: leaseDuration,
                logger: logger, tracer: tracer, publish: publish)
        }

        func release(_ match: MatchID) async { await leases.forget([.match(match)]) }
    }

    /// What the durable log and the current row say.
    struct Record: Equatable {
        var version = 0
        var keys: [String] = []
        var state = ""
    }

    func record(_ pool: PostgresPool) async throws -> Record {
        let rows = try await pool.query(
            """
            SELECT version, content_state, (
                SELECT string_agg(e ->> 'key', ' ' ORDER BY u.version, place)
                FROM match_updates AS u, jsonb_array_elements(u.events) WITH ORDINALITY AS x (e, place)) AS keys
            FROM active_matches
            """)
        guard let row = rows.first else { return Record() }
        return Record(
            version: try row.int("version"),
            keys: (try row.optionalString("keys") ?? "").split(separator: " ").map { String($0) },
            state: try row.string("content_state"))
    }

    @Test func whatAnOperatorWantsToBeEndedIsEndedByItsHolder() async throws {
        let source = try FrameSource()
        try await withDatabase { pool in
            let process = Process(pool, instance: "bus")
            let at = try await MatchStore(pool: pool).now()
            _ = await process.bus.evaluate(try source.frame("S1 0.2", fetchedAt: at))
            try await pool.execute("UPDATE active_matches SET end_asked_at = now()")
            let running = Task { await process.bus.run() }
            defer { running.cancel() }
            try await eventually("it has ended", within: .seconds(20)) {
                try await pool.query("SELECT FROM active_matches WHERE end_reason = 'silent' AND ended_at IS NOT NULL")
                    .count == 1
            }
            #expect(try await record(pool).state.contains(#""status":"No news""#))
            // The same frame does not open it again, a further ball does.
            func isOpen() async throws -> Bool {
                try await !pool.query("SELECT FROM active_matches WHERE ended_at IS NULL").isEmpty
            }
            _ = await process.bus.evaluate(try source.frame("S1 0.2", fetchedAt: at + 30_000))
            #expect(try await !isOpen())
            _ = await process.bus.evaluate(try source.frame("S1 0.3", fetchedAt: at + 60_000))
            #expect(try await isOpen())
        }
    }

    /// A match that is over leaves the provider's list: no frame of it is missed.
    @Test func framesAreMissedOfAMatchInPlay() async throws {
        let (source, registry) = (try FrameSource(), PrometheusRegistry())
        try await withMetricsFactory(registry) {
            try await withDatabase { pool in
                let process = Process(pool, instance: "bus")
                let at = try await MatchStore(pool: pool).now()
                _ = await process.bus.evaluate(try source.frame("S1 0.2", fetchedAt: at))
                let running = Task { await process.bus.run() }
                defer { running.cancel() }
                func age() -> Double {
                    let lines = registry.text().split(separator: "\n")
                    let name = "sightscreen_match_frame_age_seconds "
                    return lines.first { $0.hasPrefix(name) }.flatMap { Double($0.dropFirst(name.count)) } ?? 0
                }
                try await eventually("the next one is missed") { age() > 0.3 }
                try await pool.execute("UPDATE active_matches SET end_asked_at = now()")
                try await eventually("none is awaited") { age() < 0.1 }
            }
        }
    }

    @Test func aRestartAtAnyBallLosesAndRepeatsNothing() async throws {
        let source = try FrameSource()
        let labels = ["1st Innings", "S1 0.2", "S1 0.4", "S1 0.6", "S1 1.2"]
        func play(restarting: Bool) async throws -> Record {
            try await withDatabase { pool in
                var process = Process(pool, instance: "bus")
                for (index, label) in labels.enumerated() {
                    let at = try await MatchStore(pool: pool).now()
                    let reply = await process.bus.evaluate(try source.frame(label, fetchedAt: at))
                    #expect(reply.outcome == .committed)
                    #expect(reply.version == MatchVersion(index + 1))
                    // Killed: nothing is released, the next run has the same instance name.
                    if restarting { process = Process(pool, instance: "bus") }
                }
                return try await record(pool)
            }
        }
        let steady = try await play(restarting: false)
        let restarted = try await play(restarting: true)
        #expect(steady == restarted)
        #expect(Set(restarted.keys).count == restarted.keys.count)
        #expect(restarted.keys.contains("endOfOver:S1:o0"))
    }

    @Test func aFrameThatSaysNothingNewOrIsOlderChangesNothing() async throws {
        let source = try FrameSource()
        try await withDatabase { pool in
            let bus = Process(pool, instance: "bus").bus
            let at = try await MatchStore(pool: pool).now()
            #expect(await bus.evaluate(try source.frame("S1 0.4", fetchedAt: at)).outcome == .committed)
            #expect(await bus.evaluate(try source.frame("S1 0.4", fetchedAt: at + 10)).outcome == .unchanged)
            #expect(await bus.evaluate(try source.frame("S1 0.2", fetchedAt: at - 10)).outcome == .unchanged)
            #expect(try await record(pool).version == 1)
        }
    }

    @Test func whereAMatchStandsIsInColumnsAndInTheMessage() async throws {
        let source = try FrameSource()
        let updates = Mutex<[MatchUpdate]>([])
        try await withDatabase { pool in
            let bus = Process(pool, instance: "bus") { update in updates.withLock { $0.append(update) } }.bus
            for label in ["S1 0.4", "Innings Break"] {
                let at = try await MatchStore(pool: pool).now()
                #expect(await bus.evaluate(try source.frame(label, fetchedAt: at)).outcome == .committed)
            }
            let rows = try await pool.query("SELECT phase, is_break FROM match_updates ORDER BY version")
            #expect(try rows.map { try $0.string("phase") } == ["innings", "inningsBreak"])
            #expect(try rows.map { try $0.bool("is_break") } == [false, true])
            let sent = updates.withLock { $0 }
            #expect(sent.map(\.phase) == ["innings", "inningsBreak"] && sent.map(\.isBreak) == [false, true])
            // As a coordinator reads them that missed the messages.
            let read = try await ActivityStore(pool: pool).updates(beyond: [:])
            #expect(read.last?.phase == "inningsBreak" && read.last?.isInBreak == true)
        }
    }

    @Test func anAlertNamesTheEventsInIt() async throws {
        let source = try FrameSource()
        let updates = Mutex<[MatchUpdate]>([])
        try await withDatabase { pool in
            let bus = Process(pool, instance: "bus") { update in updates.withLock { $0.append(update) } }.bus
            for label in ["1st Innings", "Innings Break"] {
                let at = try await MatchStore(pool: pool).now()
                #expect(await bus.evaluate(try source.frame(label, fetchedAt: at)).outcome == .committed)
            }
            let sent = updates.withLock { $0 }.compactMap(\.alert)
            #expect(sent.contains { $0.eventKeys?.contains { $0.hasPrefix("inningsBreak:") } == true })
            #expect(try await ActivityStore(pool: pool).updates(beyond: [:]).compactMap(\.alert) == sent)
        }
    }

    /// Whoever pushes takes stamps, too: the bus finds them ahead of the clock, and reads the match again.
    @Test func onlyATakeoverIsLoggedAsOne() async throws {
        let source = try FrameSource()
        let lines = LogLines()
        try await withDatabase { pool in
            let bus = Process(pool, instance: "bus", logger: lines.logger).bus
            func judge(_ label: String) async throws {
                let at = try await MatchStore(pool: pool).now()
                #expect(await bus.evaluate(try source.frame(label, fetchedAt: at)).outcome == .committed)
            }
            try await judge("S1 0.2")
            for label in ["S1 0.4", "S1 0.6"] {
                // It is ahead of the clock for a second.
                try await pool.execute(
                    "UPDATE active_matches SET stamp = floor(extract(epoch FROM clock_timestamp()))::bigint + 1")
                try await judge(label)
            }
            #expect(lines.count("Match acquired") == 1)
            let other = Process(pool, instance: "other", logger: lines.logger)
            await bus.handOver(source.match)
            let at = try await MatchStore(pool: pool).now()
            #expect(await other.bus.evaluate(try source.frame("S1 1.2", fetchedAt: at)).outcome == .committed)
            #expect(lines.count("Match acquired") == 2)
        }
    }

    @Test func newerFramesFoldIntoOneVersionWithAllTheirEvents() async throws {
        let source = try FrameSource()
        try await withDatabase { pool in
            let bus = Process(pool, instance: "bus").bus
            let at = try await MatchStore(pool: pool).now()
            let labels = ["0.1", "0.2", "0.3", "0.4", "0.5", "0.6", "1.1", "1.2", "1.3", "1.4", "1.5", "1.6"]
            let frames = try labels.enumerated().map {
                try source.frame("S1 \($0.element)", fetchedAt: at + Int64($0.offset))
            }
            let outcomes = await withTaskGroup(of: FrameReply.Outcome.self) { group in
                for frame in frames { group.addTask { await bus.evaluate(frame).outcome } }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(outcomes.contains(.committed))
            #expect(outcomes.allSatisfy { [.committed, .deferred, .unchanged].contains($0) })
            let last = try #require(frames.last)
            #expect([.committed, .unchanged].contains(await bus.evaluate(last).outcome))
            let record = try await record(pool)
            #expect(record.version <= 5)
            #expect(Set(record.keys).count == record.keys.count)
            #expect(record.keys.filter { $0.hasPrefix("endOfOver") } == ["endOfOver:S1:o0", "endOfOver:S1:o1"])
            #expect(record.state.contains(#""overs":"2.0""#))
        }
    }

    @Test func aFrameThatWaitsForItsStampGivesWayToANewerOneAtOnce() async throws {
        let source = try FrameSource()
        try await withDatabase { pool in
            let bus = Process(pool, instance: "bus").bus
            var at = try await MatchStore(pool: pool).now()
            func next(_ label: Int) throws -> ScoreFrame {
                at += 1
                return try source.frame("S1 \(label / 6).\(label % 6 + 1)", fetchedAt: at)
            }
            var ball = 0
            // Two are offered; each further one when one was answered, as a poller does. All take over from the one
            // before unless a second begins in between, which is why there are several tries.
            try await eventually("the newest of five is committed, and it alone") {
                let frames = try (0..<5).map { try next(ball + $0) }
                ball += frames.count
                let outcomes = await withTaskGroup(of: FrameReply.Outcome.self) { group in
                    var rest = frames[2...]
                    for frame in frames[..<2] { group.addTask { await bus.evaluate(frame).outcome } }
                    var outcomes: [FrameReply.Outcome] = []
                    while let outcome = await group.next() {
                        outcomes.append(outcome)
                        if let frame = rest.popFirst() { group.addTask { await bus.evaluate(frame).outcome } }
                    }
                    return outcomes
                }
                return outcomes == [.deferred, .deferred, .deferred, .deferred, .committed]
            }
            let record = try await record(pool)
            #expect(Set(record.keys).count == record.keys.count)
        }
    }

    @Test func ofTwoBusesOneHoldsTheMatch() async throws {
        let source = try FrameSource()
        try await withDatabase { pool in
            let first = Process(pool, instance: "one")
            let second = Process(pool, instance: "two")
            let now = { try await MatchStore(pool: pool).now() }
            #expect(
                await first.bus.evaluate(try source.frame("S1 0.1", fetchedAt: try await now())).outcome == .committed)
            let refused = await second.bus.evaluate(try source.frame("S1 0.2", fetchedAt: try await now()))
            #expect(refused.outcome == .notHolder)
            #expect(try await record(pool).version == 1)
            await first.release(source.match)
            let taken = await second.bus.evaluate(try source.frame("S1 0.2", fetchedAt: try await now()))
            #expect(taken.outcome == .committed)
            #expect(taken.version == MatchVersion(2))
            #expect(
                await first.bus.evaluate(try source.frame("S1 0.3", fetchedAt: try await now())).outcome == .notHolder)
            let record = try await record(pool)
            #expect(Set(record.keys).count == record.keys.count)
        }
    }

    @Test func aBusHandsAMatchOverOnRequest() async throws {
        let source = try FrameSource()
        try await withDatabase { pool in
            let first = Process(pool, instance: "one")
            let second = Process(pool, instance: "two")
            let now = { try await MatchStore(pool: pool).now() }
            #expect(
                await first.bus.evaluate(try source.frame("S1 0.1", fetchedAt: try await now())).outcome == .committed)
            await first.bus.handOver(source.match)
            let taken = await second.bus.evaluate(try source.frame("S1 0.2", fetchedAt: try await now()))
            #expect(taken.outcome == .committed)
            #expect(taken.version == MatchVersion(2))
            await first.bus.handOver(source.match)
            #expect(await second.leases.lease(for: .match(source.match)) != nil, "it was not the first one's")
        }
    }

    /// Two buses on two hosts: the poller of the second host has the group now.
    @Test func aBusWithoutFramesReleasesItsMatchWhenAnotherIsOfferedThem() async throws {
        let source = try FrameSource()
        try await withDatabase { pool in
            let first = Process(pool, instance: "one", leaseDuration: .seconds(3))
            let second = Process(pool, instance: "two", leaseDuration: .seconds(3))
            let running = [
                Task { await first.leases.run() }, Task { await first.bus.run() }, Task { await second.leases.run() },
            ]
            let now = { try await MatchStore(pool: pool).now() }
            #expect(
                await first.bus.evaluate(try source.frame("S1 0.1", fetchedAt: try await now())).outcome == .committed)
            // Asked without need, as by a poller that does not know yet who has it: it stays where its frames come.
            #expect(
                await second.bus.evaluate(try source.frame("S1 0.2", fetchedAt: try await now())).outcome == .notHolder)
            for _ in 0..<8 {
                let reply = await first.bus.evaluate(try source.frame("S1 0.1", fetchedAt: try await now()))
                #expect(reply.outcome == .unchanged)
                try await Task.sleep(for: .milliseconds(400))
            }
            try await eventually("the second bus has it") {
                let reply = await second.bus.evaluate(try source.frame("S1 0.2", fetchedAt: try await now()))
                return reply.outcome == .committed
            }
            #expect(try await record(pool).version == 2)
            for task in running { task.cancel() }
            for task in running { await task.value }
        }
    }

    @Test func aFrameThatCannotBeAMatchIsRejectedAndTheNextGoodOneWorks() async throws {
        let source = try FrameSource()
        try await withDatabase { pool in
            let bus = Process(pool, instance: "bus").bus
            let at = try await MatchStore(pool: pool).now()
            var broken = try source.frame("S1 0.4", fetchedAt: at)
            broken.fixture.away = broken.fixture.home
            let reply = await bus.evaluate(broken)
            #expect(reply.outcome == .rejected)
            #expect(reply.reason?.isEmpty == false)
            var foreign = try source.frame("S1 0.4", fetchedAt: at)
            foreign.matchID = MatchID(5)
            #expect(await bus.evaluate(foreign).outcome == .rejected)
            #expect(await bus.evaluate(try source.frame("S1 0.4", fetchedAt: at)).outcome == .committed)
        }
    }

    @Test func aMachineThatCannotBeReadIsMadeAfresh() async throws {
        let source = try FrameSource()
        try await withDatabase { pool in
            let at = try await MatchStore(pool: pool).now()
            let before = Process(pool, instance: "bus").bus
            #expect(await before.evaluate(try source.frame("S1 0.4", fetchedAt: at)).outcome == .committed)
            try await pool.execute("UPDATE active_matches SET machine = '{'")
            let after = Process(pool, instance: "bus").bus
            let reply = await after.evaluate(try source.frame("S1 0.6", fetchedAt: at + 1_000))
            #expect(reply.outcome == .committed)
            #expect(reply.version == MatchVersion(2))
        }
    }

    @Test func timeAloneDoesNotReopenAMatchThatWasCalledOffButAFrameDoes() async throws {
        let source = try FrameSource()
        try await withDatabase { pool in
            let (updates, output) = AsyncStream.makeStream(of: MatchUpdate.self)
            let process = Process(pool, instance: "bus", timing: MatchTiming(keepAlive: 300)) { output.yield($0) }
            let at = try await MatchStore(pool: pool).now()
            #expect(await process.bus.evaluate(try source.frame("S1 0.4", fetchedAt: at)).outcome == .committed)
            // The schedule no longer lists it.
            try await pool.execute("UPDATE active_matches SET ended_at = clock_timestamp()")
            let timer = Task { await process.bus.run() }
            for await update in updates where update.version == MatchVersion(2) { break }
            timer.cancel()
            await timer.value
            func isEnded() async throws -> Bool? {
                try await pool.query("SELECT ended_at IS NOT NULL AS ended FROM active_matches").first?.bool("ended")
            }
            #expect(try await isEnded() == true)
            let later = try await MatchStore(pool: pool).now()
            #expect(await process.bus.evaluate(try source.frame("S1 0.6", fetchedAt: later)).outcome == .committed)
            #expect(try await isEnded() == false)
        }
    }

    @Test func timeAloneKeepsAMatchAliveAndEveryVersionIsPublished() async throws {
        let source = try FrameSource()
        try await withDatabase { pool in
            let (updates, output) = AsyncStream.makeStream(of: MatchUpdate.self)
            let process = Process(pool, instance: "bus", timing: MatchTiming(keepAlive: 300)) { output.yield($0) }
            let at = try await MatchStore(pool: pool).now()
            #expect(await process.bus.evaluate(try source.frame("S1 0.4", fetchedAt: at)).outcome == .committed)
            let timer = Task { await process.bus.run() }
            var seen: [MatchUpdate] = []
            for await update in updates {
                seen.append(update)
                if seen.count == 3 { break }
            }
            timer.cancel()
            await timer.value
            #expect(seen.map(\.version.rawValue) == [1, 2, 3])
            #expect(seen.map(\.contentState.version) == [1, 2, 3])
            #expect(seen.dropFirst().allSatisfy { $0.priority == 5 && $0.alert == nil })
            #expect(zip(seen, seen.dropFirst()).allSatisfy { $0.stamp < $1.stamp })
        }
    }
}
