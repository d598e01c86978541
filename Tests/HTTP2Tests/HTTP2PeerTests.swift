import Glibc
import HTTP2
import Reactor
import TestKit
import Testing

/// Against other people's HTTP/2: nghttp2's server, curl and h2load.
@Suite struct HTTP2PeerTests {
    @Test func talksToNghttpd() async throws {
        let certificates = try await Certificates()
        let port = Int.random(in: 20_000..<30_000)
        try Tool.write("hello", to: "\(certificates.folder)/hello")
        let pid = try Tool.start([
            "nghttpd", "--address=127.0.0.1", "-d", certificates.folder, "-m", "7", String(port), certificates.keyFile,
            certificates.certificateFile,
        ])
        defer { Tool.stop(pid) }
        let reactor = Reactor(name: "h2-nghttpd")
        var connected: HTTP2ClientConnection?
        for _ in 0..<100 where connected == nil {
            connected = try? await HTTP2ClientConnection.connect(
                to: HTTP2Origin(host: "localhost", port: port), tls: certificates.client(), reactor: reactor)
            if connected == nil { try await Task.sleep(for: .milliseconds(20)) }
        }
        let connection = try #require(connected)
        let template = HTTP2HeaderTemplate(method: "GET", authority: "localhost:\(port)", fields: [])
        await withTaskGroup(of: HTTP2Outcome.self) { group in
            for index in 0..<300 {
                let path = index % 3 == 0 ? "/none" : "/hello"
                group.addTask {
                    await connection.submit(path: path, headers: template, body: [], timeout: .seconds(5))
                }
            }
            var statuses: [Int: Int] = [:]
            for await outcome in group {
                guard case .response(let response) = outcome else {
                    Issue.record("\(outcome)")
                    continue
                }
                statuses[response.status, default: 0] += 1
                if response.status == 200 { #expect(response.body == Array("hello".utf8)) }
            }
            #expect(statuses == [200: 200, 404: 100])
        }
        await connection.close()
        reactor.stop()
    }

    @Test func answersCurlAndH2load() async throws {
        let certificates = try await Certificates()
        let reactor = Reactor(name: "h2-peers")
        let server = try await HTTP2Server.start(
            host: "127.0.0.1", port: 0, tls: certificates.server(), reactor: reactor
        ) { request in
            let hasBody = request.path != "/empty"
            return .respond(
                HTTP2Response(status: 200, headers: [HTTP2Field("apns-id", "7")], body: hasBody ? request.body : []))
        }
        let origin = "https://localhost:\(server.port)"
        let answer = try await Tool.run(
            ["curl", "-sS", "--http2", "--cacert", certificates.caFile, "-d", "ball", "-i", "\(origin)/echo"],
            in: certificates.folder)
        #expect(answer.hasPrefix("HTTP/2 200"))
        #expect(answer.hasSuffix("ball"))
        let refused = await #expect(throws: Tool.Failure.self) {
            try await Tool.run(
                ["curl", "-sS", "--http1.1", "--cacert", certificates.caFile, origin], in: certificates.folder)
        }
        #expect(refused != nil, "a client that offers no h2 is turned away in the handshake")
        try Tool.write(String(repeating: "x", count: 1_000), to: "\(certificates.folder)/payload")
        for path in ["/echo", "/empty"] {
            let load = try await Tool.run(
                ["h2load", "-n", "5000", "-c", "3", "-m", "50", "-d", "\(certificates.folder)/payload", origin + path],
                in: certificates.folder)
            #expect(load.contains("5000 succeeded, 0 failed, 0 errored, 0 timeout"), "\(load)")
        }
        await server.close()
        try await Task.sleep(for: .milliseconds(50))
        reactor.stop()
    }
}
