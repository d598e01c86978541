import TestKit
import Testing

@testable import Store
@testable import APIGateway

@Suite struct BatchQueueTests {
    private func add(_ keys: [String], to queue: inout BatchQueue<String>) throws -> UInt64 {
        let ticket = queue.newTicket()
        let isIn = queue.add(ticket, keys)
        try #require(isIn)
        return ticket
    }

    @Test func ticketsThatShareNoKeyGoTogetherInTheOrderTheyCame() throws {
        var queue = BatchQueue<String>(membersMax: 10)
        let tickets = try ["a", "b", "c"].map { try add([$0], to: &queue) }
        #expect(queue.readyCount == 3)
        #expect(queue.take(2) == [tickets[0], tickets[1]])
        #expect(queue.take(2) == [tickets[2]])
        #expect(queue.take(2).isEmpty)
    }

    @Test func whoSharesAKeyWithAnEarlierOneWaitsUntilThatOneHasLeft() throws {
        var queue = BatchQueue<String>(membersMax: 10)
        let first = try add(["ann", "token1"], to: &queue)
        let second = try add(["ann", "token2"], to: &queue)
        let third = try add(["bob", "token2"], to: &queue)
        #expect(queue.take(9) == [first])
        // Bob shares nothing with the one in flight, but comes after somebody who waits.
        #expect(queue.take(9).isEmpty)
        queue.leave(first)
        #expect(queue.take(9) == [second])
        #expect(queue.take(9).isEmpty)
        queue.leave(second)
        #expect(queue.take(9) == [third])
    }

    @Test func aKeyNamedTwiceDoesNotBlockItself() throws {
        var queue = BatchQueue<String>(membersMax: 10)
        let ticket = try add(["a", "a"], to: &queue)
        #expect(queue.take(1) == [ticket])
    }

    @Test(arguments: [0, 1, 2]) func whoGivesUpWaitingLetsThoseBehindMoveUp(place: Int) throws {
        var queue = BatchQueue<String>(membersMax: 10)
        var tickets = try (0..<3).map { _ in try add(["a"], to: &queue) }
        queue.leave(tickets.remove(at: place))
        for ticket in tickets {
            #expect(queue.take(9) == [ticket])
            queue.leave(ticket)
        }
        #expect(queue.readyCount == 0)
    }

    @Test func aQueueThatIsNeverEmptyForgetsThoseItHasServed() {
        var queue = BatchQueue<Int>(membersMax: 4_096)
        var next = 0
        func add(_ count: Int) {
            for _ in 0..<count {
                _ = queue.add(queue.newTicket(), [next])
                next += 1
            }
        }
        add(200)
        for _ in 0..<1_000 {
            add(128)
            for ticket in queue.take(128) { queue.leave(ticket) }
        }
        #expect(queue.readyCount == 200)
        #expect(queue.readyPlaces < 10_000)
    }

    @Test func itIsFullUntilSomebodyLeaves() throws {
        var queue = BatchQueue<String>(membersMax: 2)
        let first = try add(["a"], to: &queue)
        _ = try add(["b"], to: &queue)
        var isIn = queue.add(queue.newTicket(), ["c"])
        #expect(!isIn)
        // Who is under way still counts.
        #expect(queue.take(1) == [first])
        isIn = queue.add(queue.newTicket(), ["c"])
        #expect(!isIn)
        queue.leave(first)
        _ = try add(["c"], to: &queue)
    }

    /// Against the plain reading of what it promises.
    @Test(arguments: 1...20 as ClosedRange<UInt64>) func doesWhatAnObviousQueueDoes(seed: UInt64) {
        struct ReferenceQueue {
            var waiting: [(ticket: UInt64, keys: Set<Int>)] = []
            var taken: [(ticket: UInt64, keys: Set<Int>)] = []

            func isReady(_ place: Int) -> Bool {
                (taken + waiting[..<place]).allSatisfy { $0.keys.isDisjoint(with: waiting[place].keys) }
            }
        }
        var random = SeededGenerator(seed: seed)
        var queue = BatchQueue<Int>(membersMax: 40)
        var reference = ReferenceQueue()
        for _ in 0..<2_000 {
            switch Int.random(in: 0..<4, using: &random) {
            case 0, 1:
                let keys = Set((0..<2).map { _ in Int.random(in: 0..<12, using: &random) })
                let ticket = queue.newTicket()
                let isIn = queue.add(ticket, Array(keys))
                #expect(isIn == (reference.waiting.count + reference.taken.count < 40))
                if isIn { reference.waiting.append((ticket, keys)) }
            case 2:
                let ready = Set(
                    reference.waiting.indices.filter(reference.isReady).map { reference.waiting[$0].ticket })
                #expect(queue.readyCount == ready.count)
                let count = Int.random(in: 1...4, using: &random)
                let tickets = queue.take(count)
                #expect(tickets.count == min(count, ready.count))
                #expect(ready.isSuperset(of: tickets))
                reference.taken += reference.waiting.filter { tickets.contains($0.ticket) }
                reference.waiting.removeAll { tickets.contains($0.ticket) }
            default:
                guard let gone = (reference.taken + reference.waiting).randomElement(using: &random)?.ticket else {
                    continue
                }
                queue.leave(gone)
                reference.taken.removeAll { $0.ticket == gone }
                reference.waiting.removeAll { $0.ticket == gone }
            }
        }
    }
}
