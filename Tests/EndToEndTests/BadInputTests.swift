import FoundationEssentials
import Glibc
import HTTPClient
import OperatorTool
import SightscreenModels
import TestKit
import Testing

/// Bad input is refused with a clear error, logged once, and the next good one works.
@Suite struct BadInputTests {
    @Test(.timeLimit(.minutes(5))) func eachIsRefusedAndTheNextGoodOneWorks() async throws {
        try await RunningSuite.with(speed: 40) { suite in
            try await malformedFrame(suite)
            try await invalidToken(suite)
            try await bodyThatIsNotJSON(suite)
            try await providerThatAnswersHTML(suite)
            try await healthAndMetrics(suite)
        }
    }

    private func malformedFrame(_ suite: RunningSuite) async throws {
        let path = "\(suite.endpoints.runDirectory)/la-coordinator/la-coordinator.sock"
        let garbage = try UnixPeer(path)
        defer { garbage.close() }
        try garbage.send([0, 0, 0, 5] + Array("hello".utf8))
        #expect(try garbage.isClosedByPeer(), "the connection with the malformed frame is closed")
        try await eventually("it is logged", within: .seconds(5)) {
            suite.log("la-coordinator").contains("A connection is closed")
        }
        #expect(count("malformed: not an envelope", in: suite.log("la-coordinator")) == 1, "once, with the reason")
        // A good frame on a new connection is taken and the connection stays open.
        let good = try UnixPeer(path)
        defer { good.close() }
        let json = #"{"type":"activities-changed","id":"1","sentAt":0,"payload":{"matchID":"1"}}"#
        let length = UInt32(json.utf8.count)
        try good.send([24, 16, 8, 0].map { UInt8(truncatingIfNeeded: length >> $0) } + Array(json.utf8))
        #expect(try !good.isClosedByPeer())
    }

    private func invalidToken(_ suite: RunningSuite) async throws {
        func follows(_ token: String) async throws -> HTTPClientResponse {
            try await suite.http.send(
                HTTPClientRequest(
                    url: "\(suite.endpoints.gateway)/user/follows", headers: [("authorization", "Bearer \(token)")],
                    timeout: .seconds(5)))
        }
        let good = try suite.bearer("asha")
        let parts = good.split(separator: ".")
        let forged = "\(parts[0]).\(parts[1]).\(String(parts[2].reversed()))"
        for bad in ["nonsense", forged, String(good.dropLast(4))] {
            let answer = try await follows(bad)
            #expect(answer.status == 401)
            #expect(answer.header("content-type")?.hasPrefix("application/problem+json") == true)
            #expect(!String(decoding: answer.body, as: UTF8.self).contains(bad))
        }
        #expect(try await follows(good).status == 200)
        #expect(!suite.log("api-gateway").contains(String(parts[1])), "no token is logged")
    }

    private func bodyThatIsNotJSON(_ suite: RunningSuite) async throws {
        func register(_ body: String) async throws -> HTTPClientResponse {
            try await suite.http.send(
                HTTPClientRequest(
                    method: "POST", url: "\(suite.endpoints.gateway)/devices",
                    headers: [
                        ("authorization", "Bearer \(try suite.bearer("asha"))"), ("content-type", "application/json"),
                    ],
                    body: Array(body.utf8), timeout: .seconds(5)))
        }
        for bad in ["<html>", "{", "[]", #"{"deviceId":"a","deviceId":"b","platform":"ios"}"#, #"{"platform":"ios"}"#] {
            let answer = try await register(bad)
            #expect(answer.status == 400 || answer.status == 422, "\(bad): \(answer.status)")
            #expect(answer.header("content-type")?.hasPrefix("application/problem+json") == true)
        }
        #expect(try await register(#"{"deviceId":"phone-1","platform":"ios"}"#).status < 300)
    }

    private func providerThatAnswersHTML(_ suite: RunningSuite) async throws {
        let fleet = try suite.fleet([("asha", 1)])
        let id = try await suite.prepare(1_178_424, fleet, speed: 40)
        // Into play, so that the poller is at work.
        var position = try await suite.tape.step(id)
        while !position.isDelivery { position = try await suite.tape.step(id) }
        try await eventually("the first ball is committed", within: .seconds(20)) {
            try await suite.committed(id)?.expanded.innings.isEmpty == false
        }
        let before = try #require(try await suite.committed(id))
        let fault = try await suite.http.send(
            HTTPClientRequest(
                method: "POST", url: "\(suite.endpoints.provider)/control/faults",
                headers: [("content-type", "application/json")], body: Array(#"{"kind":"html","count":3}"#.utf8),
                timeout: .seconds(5)))
        #expect(fault.status < 300)
        try await eventually("the poller has logged it", within: .seconds(20)) {
            suite.log("score-poller").contains("HTML") || suite.log("score-poller").contains("not JSON")
        }
        #expect(try await suite.committed(id)?.expanded.innings == before.expanded.innings, "the last score stays")
        _ = try await suite.tape.step(id)
        try await eventually("the next good answer is used", within: .seconds(60)) {
            try await suite.committed(id)?.version ?? 0 > before.version
        }
        let complaints = suite.log("score-poller").split(separator: "\n").count {
            $0.contains("HTML") || $0.contains("not JSON")
        }
        #expect(complaints == 1, "logged once")
    }

    private func healthAndMetrics(_ suite: RunningSuite) async throws {
        for (service, base) in suite.endpoints.health.sorted(by: { $0.key < $1.key }) {
            for path in ["/health/live", "/health/ready", "/metrics"] {
                let answer = try await suite.http.send(HTTPClientRequest(url: base + path, timeout: .seconds(5)))
                #expect(answer.status == 200, "\(service) \(path)")
            }
            let metrics = try await suite.http.send(HTTPClientRequest(url: "\(base)/metrics", timeout: .seconds(5)))
            #expect(String(decoding: metrics.body, as: UTF8.self).contains("# TYPE "), "\(service)")
        }
    }

    private func count(_ text: String, in log: String) -> Int {
        log.lowercased().split(separator: "\n").count { $0.contains(text) }
    }
}

/// A plain Unix socket, without the framing that the suite's own client would do.
private struct UnixPeer {
    let descriptor: Int32

    init(_ path: String) throws {
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix(107)) }
        var timeout = timeval(tv_sec: 2, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
        let status = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard status == 0 else { throw GatewayClient.Failure("cannot connect to \(path): errno \(errno)") }
    }

    func send(_ bytes: [UInt8]) throws {
        guard write(descriptor, bytes, bytes.count) == bytes.count else {
            throw GatewayClient.Failure("cannot write: errno \(errno)")
        }
    }

    /// False when nothing happens for two seconds.
    func isClosedByPeer() throws -> Bool {
        var byte: UInt8 = 0
        return read(descriptor, &byte, 1) == 0
    }

    func close() { _ = Glibc.close(descriptor) }
}
