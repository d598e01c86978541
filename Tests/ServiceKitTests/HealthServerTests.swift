import Glibc
import Logging
import NIOCore
import ServiceLifecycle
import TestKit
import Testing

@testable import ServiceKit

/// The health port against a client that attacks it.
@Suite struct HealthServerTests {
    /// A connection from one of the loopback's addresses.
    private final class Connection {
        private let descriptor: Int32

        init(port: Int, from last: UInt8 = 1) throws {
            descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            func address(_ last: UInt8, _ port: Int) -> sockaddr_in {
                var address = sockaddr_in()
                address.sin_family = sa_family_t(AF_INET)
                address.sin_port = in_port_t(port).bigEndian
                address.sin_addr.s_addr = UInt32(0x7f00_0000 + UInt32(last)).bigEndian
                return address
            }
            var (own, server) = (address(last, 0), address(1, port))
            func with(_ address: inout sockaddr_in, _ call: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
                withUnsafePointer(to: &address) {
                    $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { call($0, 16) }
                }
            }
            try #require(with(&own) { bind(descriptor, $0, $1) } == 0)
            try #require(with(&server) { connect(descriptor, $0, $1) } == 0)
        }

        deinit { close(descriptor) }

        func send(_ text: String) { _ = Glibc.send(descriptor, text, text.utf8.count, Int32(MSG_NOSIGNAL)) }

        func read(_ buffer: inout [UInt8]) -> Int {
            recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
        }

        var isClosed: Bool {
            var byte: UInt8 = 0
            let count = recv(descriptor, &byte, 1, Int32(MSG_PEEK | MSG_DONTWAIT))
            return count == 0 || count < 0 && errno == ECONNRESET
        }

        /// The status of the next answer; nil when there is none.
        func status(ofAnswerTo request: String) async throws -> Int? {
            send(request)
            var buffer = [UInt8](repeating: 0, count: 4_096)
            for _ in 0..<2_000 {
                let count = read(&buffer)
                if count > 0 {
                    let words = String(decoding: buffer.prefix(count), as: UTF8.self).split(separator: " ")
                    return words.dropFirst().first.flatMap { Int($0) }
                }
                if isClosed { return nil }
                try await Task.sleep(for: .milliseconds(5))
            }
            return nil
        }
    }

    /// The whole answer to a request on a connection of its own.
    private static func answer(to path: String, port: Int) async throws -> String {
        let connection = try Connection(port: port)
        connection.send("GET \(path) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        var answer: [UInt8] = []
        try await eventually("\(path) is answered") {
            var buffer = [UInt8](repeating: 0, count: 4_096)
            while case let count = connection.read(&buffer), count > 0 { answer += buffer.prefix(count) }
            return connection.isClosed
        }
        return String(decoding: answer, as: UTF8.self)
    }

    private static func run(
        names: Set<String> = [], bounds: HealthChannel.Bounds = .init(), readiness: Readiness = Readiness(),
        _ body: @escaping @Sendable (_ port: Int) async throws -> Void
    ) async throws {
        let port = AsyncStream<Int>.makeStream()
        let server = HealthServer(
            host: "127.0.0.1", port: 0, names: names, service: "bus", readiness: readiness,
            metrics: PrometheusRegistry(), addressFile: nil, logger: Logger(label: "test"), bounds: bounds,
            onRunning: { port.continuation.yield($0) })
        // It ends as a service does: a connection that is cancelled before it was looked at ends the process.
        let group = ServiceGroup(services: [server], logger: Logger(label: "test"))
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await group.run() }
            for await number in port.stream {
                try await body(number)
                break
            }
            await group.triggerGracefulShutdown()
            try await tasks.waitForAll()
        }
    }

    private static func get(_ path: String, host: String?) -> String {
        "GET \(path) HTTP/1.1\r\n\(host.map { "Host: \($0)\r\n" } ?? "")\r\n"
    }

    /// A page of the Internet whose name was made to point here gets no metrics.
    @Test func answersOnlyUnderNamesOfItsOwn() async throws {
        try await Self.run(names: ["Metrics.example.com"]) { port in
            let ours = [
                "127.0.0.1:\(port)", "localhost", "event-bus:9090", "[::1]:9", "metrics.example.com", "10.1.2.3",
            ]
            for path in ["/metrics", "/health/live", "/health/ready", "/health"] {
                for host in ours {
                    let status = try await Connection(port: port).status(ofAnswerTo: Self.get(path, host: host))
                    #expect(status == 200, "\(path) as \(host)")
                }
                for host in ["evil.example", "evil.example:80", "127.0.0.1.evil.example", nil] {
                    let status = try await Connection(port: port).status(ofAnswerTo: Self.get(path, host: host))
                    // Without a host it is no HTTP/1.1.
                    #expect(status == 421 || host == nil && status == 400, "\(path) as \(host ?? "-")")
                }
            }
        }
    }

    /// What another instance could do is missing, and the answer 503; what none could is said with 200.
    @Test(
        arguments: [
            ([], [], 200, #"{"service":"bus","status":"ready"}"#),
            (
                [("database", "PostgreSQL does not answer")], [], 503,
                #"{"missing":[{"name":"database","reason":"PostgreSQL does not answer"}],"service":"bus","status":"not ready"}"#
            ),
            (
                [], [("provider", "the provider answered 503")], 200,
                #"{"degraded":[{"name":"provider","reason":"the provider answered 503"}],"service":"bus","status":"degraded"}"#
            ),
            (
                [("clock", "61 s ahead")], [("matches", "1"), ("apns production", "refuses")], 503,
                #"{"degraded":[{"name":"apns production","reason":"refuses"},{"name":"matches","reason":"1"}],"#
                    + #""missing":[{"name":"clock","reason":"61 s ahead"}],"service":"bus","status":"not ready"}"#
            ),
        ] as [([(String, String)], [(String, String)], Int, String)])
    func itIsReadyByWhatIsWrong(
        _ missing: [(String, String)], _ degraded: [(String, String)], status: Int, body: String
    ) async throws {
        let readiness = Readiness()
        for (name, reason) in missing { readiness.set(name, false, reason: reason) }
        for (name, reason) in degraded { readiness.degrade(name, reason) }
        try await Self.run(readiness: readiness) { port in
            for path in ["/health/ready", "/health"] {
                let answer = try await Self.answer(to: path, port: port)
                #expect(answer.hasPrefix("HTTP/1.1 \(status) ") && answer.hasSuffix("\r\n\r\n\(body)"), "\(answer)")
            }
            let metrics = try await Self.answer(to: "/metrics", port: port)
            #expect(metrics.contains("sightscreen_ready \(status == 200 ? 1 : 0)\n"))
        }
        for (name, _) in missing { readiness.set(name, true) }
        for (name, _) in degraded { readiness.degrade(name, nil) }
        #expect(readiness.isReady && readiness.degraded.isEmpty)
    }

    /// HTTP/1.0 has requests without a host, HTTP/1.1 has none.
    @Test func aProbeOfHTTP10NeedsNoHost() async throws {
        try await Self.run { port in
            for (request, expected) in [
                ("GET /health/live HTTP/1.0\r\n\r\n", 200),
                ("GET /health/live HTTP/1.0\r\nHost: evil.example\r\n\r\n", 421),
                ("GET /health/live HTTP/1.0\r\nHost:\r\n\r\n", 421), ("GET /health/live HTTP/1.1\r\n\r\n", 421),
            ] {
                let status = try await Connection(port: port).status(ofAnswerTo: request)
                #expect(status == expected, "\(request)")
            }
        }
    }

    @Test(arguments: [
        ("127.0.0.1", "127.9.9.9", true), ("127.0.0.1", "::1", true), ("127.0.0.1", "::ffff:127.3.0.1", true),
        ("10.0.0.1", "10.0.0.2", false), ("10.0.0.1", "::ffff:10.0.0.1", true), ("10.0.0.1", "127.0.0.1", false),
        ("2001:db8::1", "2001:db8::ffff:1", true), ("2001:db8::1", "2001:db8:0:1::1", false), ("::1", "::2", false),
    ])
    func addressesOfOneClientAreCountedTogether(one: String, other: String, isSame: Bool) throws {
        let clients = try [one, other].map { HealthChannel.Client(try SocketAddress(ipAddress: $0, port: 1)) }
        #expect((clients[0] == clients[1]) == isSame)
    }

    /// This machine under five addresses is one client.
    @Test func oneClientHasEightConnectionsAndTheOldestMakesRoom() async throws {
        try await Self.run { port in
            var open: [Connection] = []
            for address in UInt8(1)...5 {
                for _ in 0..<9 { open.append(try Connection(port: port, from: address)) }
            }
            let all = open
            try await eventually("what is too many is closed") { all.count { !$0.isClosed } <= 8 }
            #expect(all.count { !$0.isClosed } == 8)
            // Each thread of the server takes its connections in the order in which they came.
            #expect(all[0].isClosed)
            let status = try await all.last { !$0.isClosed }?.status(
                ofAnswerTo: Self.get("/metrics", host: "localhost"))
            #expect(status == 200)
        }
    }

    @Test func allClientsHaveThirtyTwoConnections() async throws {
        var bounds = HealthChannel.Bounds()
        bounds.connectionsOfClientMax = 100
        try await Self.run(bounds: bounds) { port in
            let all = try (0..<45).map { _ in try Connection(port: port) }
            try await eventually("what is too many is closed") { all.count { !$0.isClosed } <= 32 }
            #expect(all.count { !$0.isClosed } == 32)
        }
    }

    /// Whether they have said nothing, half a head, or wait for the rest of a body; and after an answer.
    @Test(arguments: [
        "", "GET /metrics HT", "POST /metrics HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\nx",
        "GET /health/live HTTP/1.1\r\nHost: a\r\n\r\n",
    ])
    func connectionsThatAreHeldKeepNoProbeOut(text: String) async throws {
        try await Self.run { port in
            var held: [Connection] = []
            for _ in 0..<20 {
                while held.count < 8 {
                    let connection = try Connection(port: port)
                    connection.send(text)
                    held.append(connection)
                }
                let status = try await Connection(port: port).status(
                    ofAnswerTo: Self.get("/health/live", host: "localhost"))
                #expect(status == 200)
                held.removeAll { $0.isClosed }
            }
        }
    }

    /// From its opening, and from its last answer.
    @Test(arguments: ["", "GET /metrics HT", "GET /health/live HTTP/1.1\r\nHost: a\r\n\r\n"])
    func aHeadHasSoMuchTime(text: String) async throws {
        var bounds = HealthChannel.Bounds()
        bounds.life = .seconds(3_600)
        bounds.head = .seconds(2)
        try await Self.run(bounds: bounds) { port in
            let connection = try Connection(port: port)
            if text.hasSuffix("\r\n\r\n") {
                #expect(try await connection.status(ofAnswerTo: text) == 200)
            } else {
                connection.send(text)
            }
            try await eventually("it is closed") {
                var drained = [UInt8](repeating: 0, count: 4_096)
                _ = connection.read(&drained)
                return connection.isClosed
            }
        }
    }

    @Test(arguments: [(Duration.seconds(3_600), 1), (Duration.zero, 3)])
    func aScrapeMakesNoTextThatIsThereAlready(ageMax: Duration, made: Int) {
        let copy = MetricsCopy(ageMax: ageMax)
        var count = 0
        for _ in 0..<3 {
            _ = copy.text {
                count += 1
                return "\(count)"
            }
        }
        #expect(count == made)
    }

    /// Also one that says no length, in chunks.
    @Test(
        arguments: ["GET /health/live", "POST /metrics"], ["Content-Length: 1000000000", "Transfer-Encoding: chunked"])
    func aBodyThatGoesOnIsNotRead(request: String, length: String) async throws {
        var bounds = HealthChannel.Bounds()
        bounds.life = .seconds(60)
        try await Self.run(bounds: bounds) { port in
            let connection = try Connection(port: port)
            let status = try await connection.status(
                ofAnswerTo: "\(request) HTTP/1.1\r\nHost: localhost\r\n\(length)\r\n\r\n")
            #expect(status != nil)
            let chunk = "4000\r\n\(String(repeating: "x", count: 16_384))\r\n"
            try await eventually("it is closed") {
                connection.send(chunk)
                var drained = [UInt8](repeating: 0, count: 4_096)
                _ = connection.read(&drained)
                return connection.isClosed
            }
        }
    }

    /// Without a word, with half a request, with a body that does not end, and after an answer.
    @Test(arguments: [
        "", "GET /metrics HT", "POST /metrics HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000000\r\n\r\nx",
        "GET /health/live HTTP/1.1\r\nHost: a\r\n\r\n",
    ])
    func aConnectionLivesForSoLong(text: String) async throws {
        var bounds = HealthChannel.Bounds()
        bounds.life = .milliseconds(400)
        try await Self.run(bounds: bounds) { [bounds] port in
            let connection = try Connection(port: port)
            connection.send(text)
            let begun = ContinuousClock.now
            try await eventually("it is closed") {
                var drained = [UInt8](repeating: 0, count: 4_096)
                _ = connection.read(&drained)
                return connection.isClosed
            }
            #expect(ContinuousClock.now - begun < .nanoseconds(bounds.life.nanoseconds) + .seconds(5))
        }
    }
}
