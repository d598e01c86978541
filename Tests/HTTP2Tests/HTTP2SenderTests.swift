import Glibc
import HTTP2
import Reactor
import TestKit
import Testing

/// What callers of `HTTP2ClientConnection` see of a sender is in `HTTP2ConnectionTests`.
@Suite struct HTTP2SenderTests {
    /// Owns senders and gives them requests that are numbered from 1.
    actor Owner: HTTP2SenderOwner {
        nonisolated let reactor: Reactor
        nonisolated var unownedExecutor: UnownedSerialExecutor { reactor.asUnownedSerialExecutor() }
        private var left = 0
        private var next = 0
        private(set) var outcomes: [Int: HTTP2Outcome] = [:]
        private(set) var submittedOver: [ObjectIdentifier: Int] = [:]
        private(set) var events: [String] = []
        private var senders: [HTTP2Sender] = []
        private let body = HTTP2SharedBody(Array("ball".utf8))
        /// This thread stands still for so many microseconds behind the next request.
        private var stallMicroseconds: UInt32 = 0

        init(reactor: Reactor) { self.reactor = reactor }

        func open(_ origin: HTTP2Origin, _ tls: TLSContext, _ limits: HTTP2ClientLimits = .init()) async throws {
            let address = try #require(try await origin.addresses().first)
            senders.append(
                HTTP2Sender(to: address, of: origin, tls: tls, reactor: reactor, limits: limits, owner: self))
        }

        func send(_ count: Int) {
            left += count
            for sender in senders { sender.wake() }
        }

        func stall(microseconds: UInt32) { stallMicroseconds = microseconds }
        func sweep() { for sender in senders { sender.sweep() } }
        func close() { for sender in senders { sender.close() } }
        var roundTrips: [Int64] { senders.map(\.roundTrip) }

        nonisolated func fill(_ sender: HTTP2Sender) -> Bool {
            assumeIsolated { me in
                if me.next > 0, me.stallMicroseconds > 0 {
                    usleep(me.stallMicroseconds)
                    me.stallMicroseconds = 0
                }
                guard me.left > 0, sender.hasRoom(forBody: me.body.count) else { return false }
                me.left -= 1
                me.next += 1
                me.submittedOver[ObjectIdentifier(sender), default: 0] += 1
                let path = Array("/\(me.next)".utf8)
                return path.withUnsafeBufferPointer {
                    sender.submit(
                        path: $0, headers: HTTP2ConnectionTests.Bench.template, body: me.body, tag: me.next,
                        deadline: sender.now + 200_000_000)
                }
            }
        }

        nonisolated func finished(_ tag: Int, _ outcome: HTTP2Outcome, on sender: HTTP2Sender) {
            assumeIsolated { me in
                #expect(me.outcomes[tag] == nil, "one outcome for each request")
                me.outcomes[tag] = outcome
            }
        }

        nonisolated func opened(_ sender: HTTP2Sender) { assumeIsolated { $0.events.append("opened") } }
        nonisolated func isGoingAway(_ sender: HTTP2Sender, _ reason: String) {
            assumeIsolated { $0.events.append("draining: \(reason)") }
        }
        nonisolated func closed(_ sender: HTTP2Sender, _ reason: HTTP2Error, wasDraining: Bool) {
            assumeIsolated { $0.events.append("closed: \(reason)") }
        }
    }

    static func eventually(_ what: String, _ holds: () async -> Bool) async throws {
        for _ in 0..<500 {
            if await holds() { return }
            try await Task.sleep(for: .milliseconds(10))
        }
        Issue.record("never: \(what)")
    }

    @Test func severalShareTheWork() async throws {
        let bench = try await HTTP2ConnectionTests.Bench { request in
            .respond(HTTP2Response(status: request.path.hasSuffix("7") ? 410 : 200))
        }
        let owner = Owner(reactor: bench.reactor)
        for _ in 0..<3 { try await owner.open(bench.origin, bench.certificates.client()) }
        try await Self.eventually("all open") { await owner.events == ["opened", "opened", "opened"] }
        await owner.send(5_000)
        try await Self.eventually("all answered") { await owner.outcomes.count == 5_000 }
        let outcomes = await owner.outcomes
        #expect(outcomes.values.count { $0 == .response(HTTP2Response(status: 410)) } == 500)
        #expect(outcomes.values.count { $0 == .response(HTTP2Response(status: 200)) } == 4_500)
        #expect(await owner.submittedOver.count == 3)
        #expect(await owner.roundTrips.allSatisfy { $0 > 0 })
        await owner.close()
        await bench.end()
    }

    @Test func nothingIsLostOrSentTwiceThroughGoAways() async throws {
        let bench = try await HTTP2ConnectionTests.Bench { _ in .respond(HTTP2Response(status: 200)) }
        let owner = Owner(reactor: bench.reactor)
        var asked = 0
        for round in 0..<30 {
            try await owner.open(bench.origin, bench.certificates.client())
            try await Self.eventually("open") { await owner.events.count { $0 == "opened" } == round + 1 }
            await owner.send(300)
            asked += 300
            try await Task.sleep(for: .milliseconds(Int.random(in: 0...4)))
            for id in await bench.server.connectionIDs { await bench.server.sendGoAway(id) }
            try await Self.eventually("closed") { await owner.events.count { $0.hasPrefix("closed") } == round + 1 }
        }
        // What was not given out waits for a connection; the last one takes it.
        try await owner.open(bench.origin, bench.certificates.client())
        try await Self.eventually("open") { await owner.events.count { $0 == "opened" } == 31 }
        await owner.send(0)
        try await Self.eventually("all have an outcome") { await owner.outcomes.count == asked }
        for (tag, outcome) in await owner.outcomes {
            switch outcome {
            case .refused: break
            case .response(let response) where response.status == 200: break
            default: Issue.record("\(tag): \(outcome)")
            }
        }
        await owner.close()
        await bench.end()
    }

    @Test func aSilentServerCostsItsDeadline() async throws {
        let bench = try await HTTP2ConnectionTests.Bench { _ in .silence }
        let owner = Owner(reactor: bench.reactor)
        try await owner.open(bench.origin, bench.certificates.client())
        try await Self.eventually("open") { await owner.events == ["opened"] }
        await owner.send(20)
        try await Self.eventually("all expired") {
            await owner.sweep()
            return await owner.outcomes.count == 20
        }
        #expect(await owner.outcomes.values.allSatisfy { $0 == .unknown(.deadline) })
        await owner.close()
        await bench.end()
    }

    /// As after a SIGSTOP between a decision and its bytes.
    @Test func whatWasNotSentBeforeAStallNeverIs() async throws {
        let bench = try await HTTP2ConnectionTests.Bench { _ in .respond(HTTP2Response(status: 200)) }
        let owner = Owner(reactor: bench.reactor)
        var limits = HTTP2ClientLimits()
        limits.stallMax = .milliseconds(100)
        try await owner.open(bench.origin, bench.certificates.client(), limits)
        try await Self.eventually("open") { await owner.events == ["opened"] }
        await owner.stall(microseconds: 300_000)
        await owner.send(1)
        try await Self.eventually("closed") { await owner.events.count == 2 }
        #expect(await owner.events.last?.contains("stood still") == true)
        #expect(await owner.outcomes == [1: .refused], "it certainly did not leave")
        // One that stands still with nothing in its hands goes on.
        try await owner.open(bench.origin, bench.certificates.client(), limits)
        try await Self.eventually("open") { await owner.events.count == 3 }
        try await Task.sleep(for: .milliseconds(200))
        await owner.send(1)
        try await Self.eventually("answered") {
            await owner.outcomes[2] == .response(HTTP2Response(status: 200))
        }
        await owner.close()
        await bench.end()
    }

    @Test func aHandshakeThatDoesNotEndIsGivenUp() async throws {
        // A listener that accepts nothing: the kernel does, and says no more.
        let mute = try Tool.listen()
        let certificates = try await Certificates()
        let owner = Owner(reactor: Reactor(name: "h2-mute"))
        var limits = HTTP2ClientLimits()
        limits.connectTimeout = .milliseconds(200)
        try await owner.open(HTTP2Origin(host: "127.0.0.1", port: mute.port), certificates.client(), limits)
        try await Self.eventually("given up") {
            await owner.sweep()
            return await owner.events.first?.contains("no connection to") == true
        }
        mute.close()
        owner.reactor.stop()
    }
}
