import Metrics
import ServiceKit
import Synchronization
import TestKit
import Testing

@testable import Store
@testable import APIGateway

@Suite struct BatcherTests {
    struct Request: Batchable, Hashable {
        var name: String
        var conflictKeys: [String]

        init(_ name: String, keys: [String]? = nil) {
            self.name = name
            conflictKeys = keys ?? [name]
        }
    }

    struct Trouble: Error, Hashable {}

    typealias Subject = Batcher<Request, String>

    /// Does batches when it is told to, and remembers them.
    final class Worker: Sendable {
        struct State {
            var batches: [[String]] = []
            /// Batches that may go on.
            var released = 0
            var waiting: [(batch: Int, CheckedContinuation<Void, Never>)] = []
        }
        private let state = Mutex(State())
        private let outcome: @Sendable (Request) -> Subject.Outcome

        init(_ outcome: @escaping @Sendable (Request) -> Subject.Outcome = { .answered("\($0.name)!") }) {
            self.outcome = outcome
        }

        var batches: [[String]] { state.withLock { $0.batches } }

        func release(_ count: Int = .max / 2) {
            let ready = state.withLock { state in
                state.released += count
                let ready = state.waiting.filter { $0.batch < state.released }
                state.waiting.removeAll { $0.batch < state.released }
                return ready
            }
            for (_, continuation) in ready { continuation.resume() }
        }

        func batcher(_ limits: Subject.Limits = BatcherTests.limits { _ in }) -> Subject {
            Batcher(limits: limits) { requests, _ in
                await withCheckedContinuation { continuation in
                    let isFree = self.state.withLock { state in
                        let batch = state.batches.count
                        state.batches.append(requests.map(\.name))
                        if batch < state.released { return true }
                        state.waiting.append((batch, continuation))
                        return false
                    }
                    if isFree { continuation.resume() }
                }
                return requests.map(self.outcome)
            }
        }
    }

    @Test func whatWaitsAndWhatIsUnderWayIsShown() async throws {
        let registry = PrometheusRegistry()
        func has(_ line: String) -> Bool { registry.text().contains("\(line)\n") }
        try await withMetricsFactory(registry) {
            let (go, open) = AsyncStream.makeStream(of: Void.self)
            let batcher = Subject(
                limits: Self.limits { _ in },
                meters: .init(waiting: Meter(label: "waiting"), inFlight: Meter(label: "in_flight"))
            ) { requests, _ in
                for await _ in go {}
                return requests.map { .answered($0.name) }
            }
            #expect(has("waiting 0") && has("in_flight 0"))
            // With a key in common: the second goes when the first is done.
            let calls = ["a", "b"].map { name in Task { try await batcher.submit(Request(name, keys: ["k"])) } }
            try await eventually("one is under way") { has("waiting 2") && has("in_flight 1") }
            open.finish()
            for call in calls { _ = try await call.value }
            #expect(has("waiting 0") && has("in_flight 0"), "\(registry.text())")
        }
    }

    /// Calls in this order; each has arrived before the next one calls.
    private func call(
        _ batcher: Subject, _ requests: [Request], _ group: inout TaskGroup<(String, Result<String, any Error>)>
    ) {
        for request in requests {
            group.addImmediateTask {
                do { return (request.name, .success(try await batcher.submit(request))) } catch {
                    return (request.name, .failure(error))
                }
            }
        }
    }

    fileprivate static func limits(_ change: (inout Subject.Limits) -> Void) -> Subject.Limits {
        var limits = Subject.Limits()
        // A busy machine makes nobody late; who tests that says so.
        limits.timeout = .seconds(3_600)
        change(&limits)
        return limits
    }

    @Test func aSingleCallerIsServedAtOnce() async throws {
        let worker = Worker()
        worker.release()
        let batcher = worker.batcher()
        #expect(try await batcher.submit(Request("a")) == "a!")
        #expect(try await batcher.submit(Request("b")) == "b!")
        #expect(worker.batches == [["a"], ["b"]])
    }

    @Test func whoComesWhileABatchIsUnderWayIsInTheNext() async throws {
        let worker = Worker()
        let batcher = worker.batcher(Self.limits { $0.batch = 3 })
        await withTaskGroup { group in
            call(batcher, [Request("first")], &group)
            try? await eventually("the first batch is under way") { worker.batches.count == 1 }
            call(batcher, ["a", "b", "c", "d", "e"].map { Request($0) }, &group)
            worker.release()
            for await (name, answer) in group { #expect((try? answer.get()) == "\(name)!") }
        }
        #expect(worker.batches == [["first"], ["a", "b", "c"], ["d", "e"]])
    }

    @Test func aSecondBatchStartsBesideTheFirstOnlyWhenItHasCompanyAndAThirdNever() async throws {
        let worker = Worker()
        let limits = Self.limits {
            $0.batch = 4
            $0.batches = 2
            $0.secondBatchMin = 3
        }
        let batcher = worker.batcher(limits)
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            func call(_ names: [String]) {
                for name in names { tasks.addImmediateTask { _ = try await batcher.submit(Request(name)) } }
            }
            call(["first"])
            try await eventually("the first batch is under way") { worker.batches.count == 1 }
            call(["a", "b"])
            call(["c"])
            try await eventually("the second is under way") { worker.batches.count == 2 }
            call(["d", "e", "f", "g", "h"])
            worker.release(1)
            try await eventually("the third is under way") { worker.batches.count == 3 }
            worker.release()
            try await tasks.waitForAll()
        }
        #expect(worker.batches == [["first"], ["a", "b", "c"], ["d", "e", "f", "g"], ["h"]])
    }

    @Test func requestsWithACommonKeyAreNeverTogetherAndKeepTheirOrder() async throws {
        let worker = Worker()
        let batcher = worker.batcher()
        await withTaskGroup { group in
            call(batcher, [Request("first")], &group)
            try? await eventually("the first batch is under way") { worker.batches.count == 1 }
            call(
                batcher,
                [
                    Request("ann1", keys: ["ann", "t1"]), Request("ann2", keys: ["ann", "t2"]),
                    Request("bob1", keys: ["bob", "t2"]), Request("cat1", keys: ["cat", "t3"]),
                    Request("ann3", keys: ["ann", "t3"]),
                ], &group)
            worker.release()
            for await (_, answer) in group { #expect((try? answer.get()) != nil) }
        }
        #expect(worker.batches.map { $0.sorted() } == [["first"], ["ann1", "cat1"], ["ann2"], ["ann3", "bob1"]])
    }

    @Test func whatIsTooMuchIsRefusedAtOnce() async throws {
        let worker = Worker()
        let batcher = worker.batcher(Self.limits { $0.requests = 2 })
        await withTaskGroup { group in
            call(batcher, [Request("a"), Request("b")], &group)
            try? await eventually("both are under way") { worker.batches.count == 1 }
            await #expect(throws: BatcherRefusal.full) { try await batcher.submit(Request("c")) }
            worker.release()
            for await (_, answer) in group { #expect((try? answer.get()) != nil) }
        }
        #expect(try await batcher.submit(Request("c")) == "c!")
    }

    @Test func whatHasToBeDoneAgainKeepsItsPlaceInLine() async throws {
        let tries = Mutex<[String: Int]>([:])
        let worker = Worker { request in
            let count = tries.withLock { tries in
                tries[request.name, default: 0] += 1
                return tries[request.name] ?? 0
            }
            return switch request.name.prefix(3) {
            case "odd" where count < 3: .retry
            case "err": .failed(Trouble())
            default: .answered("\(request.name)!")
            }
        }
        let batcher = worker.batcher()
        worker.release()
        var answers: [String: Result<String, any Error>] = [:]
        await withTaskGroup { group in
            let requests = [
                Request("odd1", keys: ["x"]), Request("a"), Request("err1"), Request("odd2", keys: ["x"]),
                Request("c", keys: ["x"]),
            ]
            call(batcher, requests, &group)
            for await (name, answer) in group { answers[name] = answer }
        }
        for name in ["odd1", "odd2", "a", "c"] { #expect((try answers[name]?.get()) == "\(name)!") }
        #expect(throws: Trouble.self) { try answers["err1"]?.get() }
        #expect(
            worker.batches.dropFirst() == [["odd1"], ["odd1"], ["odd2"], ["odd2"], ["odd2"], ["c"]],
            "\(worker.batches)")
    }

    /// It is asked for once more after that, or was taken back: it must not be tried again.
    @Test func whatHasToBeDoneFirstKeepsItsPlaceAndNobodyElseWaiting() async throws {
        let (go, open) = AsyncStream.makeStream(of: Void.self)
        let isFirst = Mutex(true)
        let worker = Worker { request in
            switch request.name {
            case "ann1"
            where isFirst.withLock({ isFirst in
                defer { isFirst = false }
                return isFirst
            }):
                .retryAfter { for await _ in go {} }
            case "bob": .retryAfter { throw Trouble() }
            default: .answered("\(request.name)!")
            }
        }
        worker.release()
        let batcher = worker.batcher(Self.limits { $0.batches = 1 })
        await withTaskGroup { group in
            call(batcher, ["ann1", "ann2"].map { Request($0, keys: ["ann"]) } + [Request("bob")], &group)
            let first = await group.next()
            #expect(first?.0 == "bob")
            #expect(throws: Trouble.self) { try first?.1.get() }
            #expect((try? await batcher.submit(Request("cat"))) == "cat!")
            open.finish()
            for await (name, answer) in group { #expect((try? answer.get()) == "\(name)!") }
        }
        #expect(worker.batches.map { $0.sorted() } == [["ann1", "bob"], ["cat"], ["ann1"], ["ann2"]])
    }

    @Test func whatNobodyWaitsForIsNotDoneAgain() async throws {
        let worker = Worker { _ in .retry }
        let batcher = worker.batcher(
            Self.limits {
                $0.timeout = .milliseconds(20)
                $0.pause = .milliseconds(200)
            })
        worker.release()
        await #expect(throws: BatcherRefusal.late) { try await batcher.submit(Request("a")) }
        try await Task.sleep(for: .milliseconds(400))
        #expect(worker.batches == [["a"]])
    }

    @Test func aCallerThatGivesUpHarmsNobody() async throws {
        let worker = Worker()
        let batcher = worker.batcher()
        let first = Task { try await batcher.submit(Request("first", keys: ["k"])) }
        try await eventually("the first batch is under way") { worker.batches.count == 1 }
        // One that waits, with others behind it and beside it.
        let second = Task.immediate { try await batcher.submit(Request("second", keys: ["k"])) }
        let third = Task.immediate { try await batcher.submit(Request("third", keys: ["k"])) }
        let other = Task.immediate { try await batcher.submit(Request("other")) }
        second.cancel()
        await #expect(throws: CancellationError.self) { try await second.value }
        // One that is under way: it hears at once, and its key stays taken until the batch is done.
        first.cancel()
        await #expect(throws: CancellationError.self) { try await first.value }
        #expect(worker.batches == [["first"]])
        worker.release()
        #expect(try await third.value == "third!")
        #expect(try await other.value == "other!")
        #expect(worker.batches.flatMap { $0 }.sorted() == ["first", "other", "third"])
    }

    @Test func whoIsCancelledBeforeItCallsIsNotServed() async throws {
        let worker = Worker()
        worker.release()
        let batcher = worker.batcher()
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await batcher.submit(Request("a"))
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try await batcher.submit(Request("b")) == "b!")
        #expect(worker.batches == [["b"]])
    }

    @Test func nobodyWaitsLongerThanItsPatience() async throws {
        let worker = Worker()
        let batcher = worker.batcher(Self.limits { $0.timeout = .milliseconds(20) })
        // The batch is never done; the second waits behind the first.
        await withTaskGroup { group in
            call(batcher, [Request("a", keys: ["k"]), Request("b", keys: ["k"])], &group)
            for await (_, answer) in group { #expect(throws: BatcherRefusal.late) { try answer.get() } }
        }
        worker.release()
        #expect(worker.batches == [["a"]])
    }

    @Test func theWorkKnowsWhoHasGone() async throws {
        let (go, open) = AsyncStream.makeStream(of: Void.self)
        let (begun, begins) = AsyncStream.makeStream(of: Void.self)
        let batcher = Subject(limits: Self.limits { _ in }) { requests, isAwaited in
            begins.yield()
            for await _ in go {}
            return requests.indices.map { isAwaited($0) ? .answered("awaited") : .answered("unheard") }
        }
        let calls = ["first", "second"].map { name in
            Task.immediate { try await batcher.submit(Request(name)) }
        }
        for await _ in begun { break }
        calls[0].cancel()
        await #expect(throws: CancellationError.self) { try await calls[0].value }
        open.finish()
        #expect(try await calls[1].value == "awaited")
    }

    /// Counts who is inside at a time for each key, and in which order they come.
    final class Gate: Sendable {
        struct State {
            var inside: Set<String> = []
            var last: [String: Int] = [:]
            var faults = 0
            var tried: Set<String> = []
        }
        private let state = Mutex(State())

        func isFirstTry(_ request: Request) -> Bool { state.withLock { $0.tried.insert(request.name).inserted } }

        var faults: Int { state.withLock { $0.faults } }

        func enter(_ requests: [Request]) {
            state.withLock { state in
                for key in requests.flatMap(\.conflictKeys) where !state.inside.insert(key).inserted {
                    state.faults += 1
                }
                for request in requests {
                    guard let number = Int(request.name) else { continue }
                    for key in request.conflictKeys {
                        if let last = state.last[key], last > number { state.faults += 1 }
                        state.last[key] = number
                    }
                }
            }
        }

        func leave(_ requests: [Request]) {
            state.withLock { $0.inside.subtract(requests.flatMap(\.conflictKeys)) }
        }
    }

    @Test(arguments: 1...4 as ClosedRange<UInt64>) func inAStampedeEveryKeyIsTakenByOneAtATimeAndInOrder(seed: UInt64)
        async throws
    {
        var random = SeededGenerator(seed: seed)
        let gate = Gate()
        let limits = Self.limits {
            $0.batch = 16
            $0.batches = 3
            $0.secondBatchMin = 1
        }
        let batcher = Subject(limits: limits) { requests, _ in
            gate.enter(requests)
            for _ in 0..<3 { await Task.yield() }
            // One in ten is done again, and keeps its keys until then.
            let again = requests.filter { $0.name.hasSuffix("7") && gate.isFirstTry($0) }
            gate.leave(requests)
            return requests.map { again.contains($0) ? .retry : .answered($0.name) }
        }
        let requests = (0..<3_000).map { number in
            let keys = (0..<2).map { _ in "\(Int.random(in: 0..<50, using: &random))" }
            return Request("\(number)", keys: Array(Set(keys)))
        }
        var answered = 0
        await withTaskGroup { group in
            call(batcher, requests, &group)
            for await (name, answer) in group where (try? answer.get()) == name { answered += 1 }
        }
        #expect(answered == 3_000)
        #expect(gate.faults == 0)
    }
}
