import HTTP2
import Reactor
import TestKit
import Testing

@Suite struct HTTP2ConnectionTests {
    /// A server with its own certificate, a client that trusts it, and what the server does.
    struct Bench {
        let certificates: Certificates
        let reactor: Reactor
        let server: HTTP2Server
        var origin: HTTP2Origin { HTTP2Origin(host: "localhost", port: server.port) }
        static let template = HTTP2HeaderTemplate(authority: "localhost", fields: [HTTP2Field("apns-priority", "5")])

        init(
            settings: HTTP2Settings = .init(concurrentStreamsMax: 1_000), bodyBytesMax: Int = 64 * 1024,
            names: String = "DNS:localhost,IP:127.0.0.1",
            handler: @escaping HTTP2Server.Handler
        ) async throws {
            certificates = try await Certificates(names: names)
            reactor = Reactor(name: "h2-test")
            server = try await HTTP2Server.start(
                host: "127.0.0.1", port: 0, tls: certificates.server(), reactor: reactor, settings: settings,
                bodyBytesMax: bodyBytesMax, handler: handler)
        }

        func connect(limits: HTTP2ClientLimits = HTTP2ClientLimits()) async throws -> HTTP2ClientConnection {
            try await HTTP2ClientConnection.connect(
                to: origin, tls: certificates.client(), reactor: reactor, limits: limits)
        }

        func end() async {
            await server.close(timeout: .milliseconds(200))
            // Answers of handlers may still be on their way to the reactor.
            try? await Task.sleep(for: .milliseconds(50))
            reactor.stop()
        }
    }

    static func submit(
        _ connection: HTTP2ClientConnection, _ path: String, body: [UInt8] = [1], timeout: Duration = .seconds(5)
    ) async -> HTTP2Outcome {
        await connection.submit(path: path, headers: Bench.template, body: body, timeout: timeout)
    }

    actor Counter {
        var now = 0
        var most = 0
        func up() {
            now += 1
            most = max(most, now)
        }
        func down() { now -= 1 }
    }

    @Test func carriesManyRequestsAtOnce() async throws {
        let bench = try await Bench { .respond(HTTP2Response(status: 200, body: Array($0.path.utf8) + $0.body)) }
        let connection = try await bench.connect()
        await withTaskGroup(of: Bool.self) { group in
            for index in 0..<2_000 {
                group.addTask {
                    let body = [UInt8](repeating: 9, count: index)
                    let outcome = await Self.submit(connection, "/\(index)", body: body)
                    return outcome == .response(HTTP2Response(status: 200, body: Array("/\(index)".utf8) + body))
                }
            }
            for await isRight in group { #expect(isRight) }
        }
        await connection.close()
        await bench.end()
    }

    @Test func holdsNoMoreStreamsOpenThanThePeerAllows() async throws {
        let counter = Counter()
        let bench = try await Bench(settings: .init(concurrentStreamsMax: 3)) { _ in
            await counter.up()
            try? await Task.sleep(for: .milliseconds(5))
            await counter.down()
            return .respond(HTTP2Response(status: 200))
        }
        let connection = try await bench.connect()
        await withTaskGroup(of: HTTP2Outcome.self) { group in
            for index in 0..<30 { group.addTask { await Self.submit(connection, "/\(index)") } }
            for await outcome in group { #expect(outcome == .response(HTTP2Response(status: 200))) }
        }
        #expect(await counter.most == 3)
        await bench.server.setConcurrentStreamsMax(10)
        try await Task.sleep(for: .milliseconds(50))
        await withTaskGroup(of: HTTP2Outcome.self) { group in
            for index in 0..<30 { group.addTask { await Self.submit(connection, "/\(index)") } }
            for await outcome in group { #expect(outcome == .response(HTTP2Response(status: 200))) }
        }
        #expect(await counter.most == 10)
        await connection.close()
        await bench.end()
    }

    @Test func tellsWhatWasNeverProcessedFromWhatMayHaveBeen() async throws {
        let bench = try await Bench { request in
            switch request.path {
            case "/refuse": .reset(.refusedStream)
            case "/cancel": .reset(.cancel)
            case "/silence": .silence
            default: .disconnect
            }
        }
        let connection = try await bench.connect()
        #expect(await Self.submit(connection, "/refuse") == .refused)
        #expect(await Self.submit(connection, "/cancel") == .unknown(.reset(.cancel)))
        #expect(await Self.submit(connection, "/silence", timeout: .milliseconds(200)) == .unknown(.deadline))
        let lost = await Self.submit(connection, "/disconnect")
        if case .unknown(.connectionLost) = lost {} else { Issue.record("\(lost)") }
        #expect(await Self.submit(connection, "/late") == .refused)
        _ = await connection.waitUntilClosed()
        await bench.end()
    }

    @Test func refusesStreamsAboveGoAwayAndWaitsForThoseBelow() async throws {
        let gate = AsyncStream<HTTP2Request>.makeStream()
        let bench = try await Bench { request in
            gate.continuation.yield(request)
            if request.streamID == 1 {
                try? await Task.sleep(for: .milliseconds(200))
                return .respond(HTTP2Response(status: 200))
            }
            return .silence
        }
        let connection = try await bench.connect()
        async let first = Self.submit(connection, "/first")
        var requests = gate.stream.makeAsyncIterator()
        let seen = try #require(await requests.next())
        async let second = Self.submit(connection, "/second")
        _ = await requests.next()
        await bench.server.sendGoAway(
            seen.connection, lastStreamID: 1, debugData: Array(#"{"reason":"Shutdown"}"#.utf8))
        #expect(await second == .refused)
        #expect(await first == .response(HTTP2Response(status: 200)))
        #expect(await connection.waitUntilClosed().contains("Shutdown"))
        await bench.end()
    }

    @Test func refusesWhatWaitsWhenTheConnectionDrains() async throws {
        let bench = try await Bench(settings: .init(concurrentStreamsMax: 1)) { _ in
            try? await Task.sleep(for: .milliseconds(100))
            return .respond(HTTP2Response(status: 200))
        }
        let connection = try await bench.connect()
        async let first = Self.submit(connection, "/1")
        async let second = Self.submit(connection, "/2")
        try await Task.sleep(for: .milliseconds(50))
        await connection.drain()
        #expect(Set(await [first, second].map { "\($0)".prefix(7) }) == ["respons", "refused"])
        _ = await connection.waitUntilClosed()
        await bench.end()
    }

    @Test func noticesASilentPeerByPing() async throws {
        let certificates = try await Certificates()
        let reactor = Reactor(name: "h2-ping")
        let other = Reactor(name: "h2-deaf")
        let server = try await HTTP2Server.start(
            host: "127.0.0.1", port: 0, tls: certificates.server(), reactor: other
        ) { _ in .silence }
        var limits = HTTP2ClientLimits()
        limits.pingAfter = .milliseconds(100)
        // Of a peer on a busy machine.
        limits.pingTimeout = .milliseconds(1_500)
        let connection = try await HTTP2ClientConnection.connect(
            to: HTTP2Origin(host: "127.0.0.1", port: server.port), tls: certificates.client(), reactor: reactor,
            limits: limits)
        try await Task.sleep(for: .milliseconds(600))
        #expect(await connection.isOpen, "PINGs that are answered keep it open")
        // The server's thread stands still.
        let deaf = Deaf(reactor: other)
        async let standing: Void = deaf.stall(milliseconds: 4_000)
        #expect(await connection.waitUntilClosed().contains("PING"))
        await standing
        await server.close(timeout: .milliseconds(100))
        reactor.stop()
        other.stop()
    }

    actor Deaf {
        nonisolated let reactor: Reactor
        nonisolated var unownedExecutor: UnownedSerialExecutor { reactor.asUnownedSerialExecutor() }
        init(reactor: Reactor) { self.reactor = reactor }
        func stall(milliseconds: UInt32) { Tool.block(milliseconds: milliseconds) }
    }

    @Test func trustsOnlyItsOwnRoots() async throws {
        let bench = try await Bench { _ in .respond(HTTP2Response(status: 200)) }
        let stranger = try await Certificates()
        for tls in [try stranger.client(), try TLSConfiguration.client(caFile: nil).makeContext()] {
            let error = await #expect(throws: HTTP2Error.self) {
                _ = try await HTTP2ClientConnection.connect(to: bench.origin, tls: tls, reactor: bench.reactor)
            }
            #expect(error?.code == .tls)
        }
        await bench.end()
    }

    @Test(arguments: [("DNS:localhost", "127.0.0.1"), ("IP:127.0.0.1", "localhost"), ("DNS:example.org", "localhost")])
    func refusesACertificateForAnotherName(names: String, host: String) async throws {
        let bench = try await Bench(names: names) { _ in .respond(HTTP2Response(status: 200)) }
        let error = await #expect(throws: HTTP2Error.self) {
            _ = try await HTTP2ClientConnection.connect(
                to: HTTP2Origin(host: host, port: bench.server.port), tls: bench.certificates.client(),
                reactor: bench.reactor)
        }
        #expect(error?.code == .tls)
        #expect(error?.message.contains("mismatch") == true)
        await bench.end()
    }

    @Test func namesTheFileThatIsWrong() async throws {
        let error = #expect(throws: HTTP2Error.self) {
            _ = try TLSConfiguration.client(caFile: "/tmp/no-such-ca.pem").makeContext()
        }
        #expect(error?.code == .configuration)
        #expect(error?.message.contains("/tmp/no-such-ca.pem") == true)
    }

    @Test func cannotConnectWhereNobodyListens() async throws {
        let reactor = Reactor(name: "h2-none")
        let certificates = try await Certificates()
        let error = await #expect(throws: HTTP2Error.self) {
            _ = try await HTTP2ClientConnection.connect(
                to: HTTP2Origin(host: "127.0.0.1", port: 1), tls: certificates.client(), reactor: reactor)
        }
        #expect(error?.code == .connection)
        reactor.stop()
    }
}
