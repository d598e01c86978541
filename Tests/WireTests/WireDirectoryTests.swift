import Glibc
import Messages
import Metrics
import ServiceKit
import ServiceLifecycle
import Synchronization
import TestKit
import Testing
import Wire

@Suite struct WireDirectoryTests {
    @Test func findsEveryInstanceAndTellsThemAll() async throws {
        try await withTemporaryDirectory { folder in
            let directory = WireDirectory(runDirectory: folder.path, service: "bus", logger: RecordedLog().logger)
            let running = Task { try await directory.run() }
            let first = try await RunningServer("\(folder.path)/bus/a.sock")
            let second = try await RunningServer("\(folder.path)/bus/b.sock") { Pong(number: $0.number * 10) }
            try await eventually("both are connected") { await directory.instances() == ["a", "b"] }
            await directory.broadcast(Rumour(number: 4))
            try await eventually("both heard it") { first.rumours == [4] && second.rumours == [4] }
            #expect(
                try await directory.request(EncodedMessage(Ping(number: 2)), to: "b", expecting: Pong.self).number == 20
            )
            let error = await #expect(throws: WireError.self) {
                try await directory.request(EncodedMessage(Ping(number: 2)), to: "c", expecting: Pong.self)
            }
            #expect(error?.code == .unavailable)
            running.cancel()
            _ = await running.result
            await first.stop()
            await second.stop()
        }
    }

    @Test func oneEncodingGoesToEveryInstanceAndOnEveryTry() async throws {
        try await withTemporaryDirectory { folder in
            let directory = WireDirectory(runDirectory: folder.path, service: "bus", logger: RecordedLog().logger)
            let running = Task { try await directory.run() }
            let first = try await RunningServer("\(folder.path)/bus/a.sock")
            let second = try await RunningServer("\(folder.path)/bus/b.sock")
            try await eventually("both are connected") { await directory.instances() == ["a", "b"] }
            let message = try EncodedMessage(CountedPing())
            #expect(message.byteCount == #"{"number":2,"padding":""}"#.utf8.count)
            for instance in ["a", "b", "a"] {
                #expect(try await directory.request(message, to: instance, expecting: Pong.self) == Pong(number: 2))
            }
            #expect(CountedPing.encodings.withLock { $0 } == 1)
            running.cancel()
            _ = await running.result
            await first.stop()
            await second.stop()
        }
    }

    @Test func connectionsShowAtBothEnds() async throws {
        let registry = PrometheusRegistry()
        func connections(_ count: Int, _ end: String) -> Bool {
            registry.text().contains("sightscreen_socket_connections{end=\"\(end)\",service=\"bus\"} \(count)\n")
        }
        try await withTemporaryDirectory { folder in
            try await withMetricsFactory(registry) {
                let directory = WireDirectory(runDirectory: folder.path, service: "bus", logger: RecordedLog().logger)
                #expect(connections(0, "client"))
                let running = Task { try await directory.run() }
                let server = try await RunningServer("\(folder.path)/bus/a.sock")
                try await eventually("they are connected") { connections(1, "client") && connections(1, "server") }
                await server.stop()
                try await eventually("they are not") { connections(0, "client") && connections(0, "server") }
                running.cancel()
                _ = await running.result
            }
        }
    }

    @Test func connectsAgainWhenAServerIsRestarted() async throws {
        try await withTemporaryDirectory { folder in
            let path = "\(folder.path)/bus/a.sock"
            let directory = WireDirectory(runDirectory: folder.path, service: "bus", logger: RecordedLog().logger)
            let connected = Mutex(0)
            let running = Task { try await directory.run() }
            for round in 1...5 {
                let server = try await RunningServer(path) { Pong(number: $0.number + round) }
                try await eventually("round \(round)") {
                    try await directory.request(EncodedMessage(Ping(number: 0)), to: "a", expecting: Pong.self).number
                        == round
                }
                connected.withLock { $0 += 1 }
                await server.stop()
                try await eventually("it is noticed") { await directory.instances().isEmpty }
            }
            #expect(connected.withLock { $0 } == 5)
            running.cancel()
            _ = await running.result
        }
    }

    @Test func waitsPatientlyBesideTheFileOfADeadServer() async throws {
        try await withTemporaryDirectory { folder in
            mkdir("\(folder.path)/bus", 0o700)
            let log = RecordedLog()
            let left = open("\(folder.path)/bus/a.sock", O_CREAT | O_WRONLY, 0o600)
            close(left)
            let directory = WireDirectory(runDirectory: folder.path, service: "bus", logger: log.logger)
            let running = Task { try await directory.run() }
            try await eventually("it has tried") { log.all.contains { $0.contains("No connection") } }
            try await Task.sleep(for: .milliseconds(400))
            #expect(log.all.filter { $0.contains("No connection") }.count == 1)
            let server = try await RunningServer("\(folder.path)/bus/a.sock")
            try await eventually("it is connected") { await directory.instances() == ["a"] }
            running.cancel()
            _ = await running.result
            await server.stop()
        }
    }

    @Test func dropsASlowPeerInsteadOfWaitingForIt() async throws {
        try await withTemporaryDirectory { folder in
            let stuck = AsyncStream<Void>.makeStream()
            // It hears its first rumour for ever, so that nothing more is read.
            let slow = try await RunningServer(
                "\(folder.path)/bus/slow.sock",
                rumour: { _ in
                    for await _ in stuck.stream {}
                })
            let good = try await RunningServer("\(folder.path)/bus/good.sock")
            let log = RecordedLog()
            let registry = PrometheusRegistry()
            let directory = withMetricsFactory(registry) {
                WireDirectory(runDirectory: folder.path, service: "bus", logger: log.logger)
            }
            let running = Task { try await directory.run() }
            try await eventually("both are connected") { await directory.instances() == ["good", "slow"] }
            let padding = String(repeating: "x", count: 200_000)
            var sent = 0
            while log.warnings.isEmpty, sent < 500 {
                sent += 1
                await directory.broadcast(Rumour(number: sent, padding: padding))
                // The good one takes each before the next is sent.
                try await eventually("rumour \(sent)") { good.rumours.last == sent }
            }
            #expect(log.warnings.count == 1)
            #expect(log.warnings.first?.contains("slow") == true)
            #expect(good.rumours == Array(1...sent))
            let dropped = #"sightscreen_socket_frames_dropped_total{end="client",service="bus"} 1"#
            #expect(registry.text().contains(dropped))
            stuck.continuation.finish()
            running.cancel()
            _ = await running.result
            await slow.stop()
            await good.stop()
        }
    }
}

/// A ping that counts how often it is encoded.
private struct CountedPing: Message {
    static let type = Ping.type
    static let encodings = Mutex(0)
    private var ping = Ping(number: 2)

    init() {}

    init(from decoder: any Decoder) throws { ping = try Ping(from: decoder) }

    func encode(to encoder: any Encoder) throws {
        Self.encodings.withLock { $0 += 1 }
        try ping.encode(to: encoder)
    }
}
