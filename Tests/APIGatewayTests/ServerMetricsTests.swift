import Metrics
import ServiceKit
import TestKit
import Testing

@testable import APIGateway

@Suite struct ServerMetricsTests {
    @Test func connectionsAndRefusalsAreCounted() async throws {
        let registry = PrometheusRegistry()
        try await withMetricsFactory(registry) {
            try await GatewayHarness.run { gateway in
                for refusal in Refusal.allCases {
                    #expect(registry.text().contains(Self.line(refusal, 0)), "it shows before it happens")
                }
                let open = try RawClient(port: gateway.port)
                try await open.send(RawRequest.live)
                _ = try await open.answers(1)
                #expect(registry.text().contains("sightscreen_http_connections 1\n"))
                for _ in 0..<2 {
                    let refused = try RawClient(port: gateway.port)
                    try await refused.send("GET\r\n\r\n")
                    _ = try await refused.answersUntilClosed()
                }
                #expect(registry.text().contains(Self.line(.malformed, 2)))
                try await eventually("only one connection is left") {
                    registry.text().contains("sightscreen_http_connections 1\n")
                }
            }
        }
    }

    private static func line(_ refusal: Refusal, _ count: Int) -> String {
        "sightscreen_http_refused_total{reason=\"\(refusal.rawValue)\"} \(count)\n"
    }
}
