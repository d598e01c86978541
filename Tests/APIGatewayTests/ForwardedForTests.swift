import Synchronization
import TestKit
import Testing

@testable import APIGateway

/// An operator who forgets TRUSTED_PROXIES hears of it.
@Suite struct ForwardedForTests {
    private static let text = "X-Forwarded-For is ignored"

    @Test func itIsSaidOnceAMinute() throws {
        let lines = LogLines()
        let clock = Mutex(ContinuousClock.now)
        let tracker = ForwardedForTracker { clock.withLock { $0 } }
        let peer = try #require(IPAddress("10.0.0.9"))
        for _ in 0..<5 { tracker.ignored(from: peer, lines.logger) }
        #expect(lines.all.count == 1)
        #expect(lines.all.allSatisfy { $0.contains(Self.text) && $0.contains("10.0.0.9") })
        clock.withLock { $0 += .seconds(59) }
        tracker.ignored(from: peer, lines.logger)
        #expect(lines.all.count == 1)
        clock.withLock { $0 += .seconds(1) }
        tracker.ignored(from: peer, lines.logger)
        #expect(lines.all.count == 2)
    }

    @Test(arguments: ["none", "10.0.0.0/8"])
    func aPeerThatIsNotBelievedIsNamedAndWhatItSaysIsNot(_ proxies: String) async throws {
        let lines = LogLines()
        try await GatewayHarness.run(environment: ["TRUSTED_PROXIES": proxies], logger: lines.logger) { gateway in
            for path in ["/app/config", "/user/follows", "/health"] {
                _ = try await gateway.send("GET", path, headers: [("x-forwarded-for", "198.51.100.77")])
            }
            #expect(lines.all.filter { $0.contains(Self.text) }.count == 1)
            #expect(lines.all.contains { $0.contains("127.0.0.1") })
            #expect(!lines.all.contains { $0.contains("198.51.100.77") })
        }
    }

    @Test func nothingIsSaidOfAProxyOfOursOrWithoutTheHeader() async throws {
        let lines = LogLines()
        try await GatewayHarness.run(environment: ["TRUSTED_PROXIES": "127.0.0.1"], logger: lines.logger) { gateway in
            let answer = try await gateway.send("GET", "/app/config", headers: [("x-forwarded-for", "198.51.100.77")])
            #expect(answer.status == 200)
        }
        try await GatewayHarness.run(logger: lines.logger) { gateway in
            let answer = try await gateway.send("GET", "/app/config")
            #expect(answer.status == 200)
        }
        #expect(!lines.all.contains { $0.contains(Self.text) })
    }
}
