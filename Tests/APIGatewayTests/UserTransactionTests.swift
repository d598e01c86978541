import Postgres
import Store
import TestKit
import Testing

@testable import APIGateway

@Suite struct UserTransactionTests {
    /// Who registers a token that many register waits without one of the gateway's few connections, and no longer than
    /// the database takes for those before.
    @Test func requestsForOneTokenLeaveTheConnectionsToOthers() async throws {
        try await GatewayHarness.run { gateway in
            let token = try GatewayHarness.token("shared")
            let lookup = try gateway.vault.keys(of: token).lookup
            func waiting() async throws -> Int {
                try await gateway.pool.query(
                    """
                    SELECT count(*) AS waiting FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
                        AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
                    """
                ).first?.int("waiting") ?? 0
            }
            try await withThrowingTaskGroup(of: Int.self) { group in
                try await gateway.pool.withConnection { session in
                    _ = try await session.query(
                        "SELECT pg_advisory_lock(\(AdvisoryLock.token("$1")))", [.text(lookup)])
                    let body = #"{"deviceId":"phone","platform":"ios","deviceToken":"\#(token)"}"#
                    // One has its turn, and 32 wait for theirs.
                    for number in 0..<40 {
                        group.addTask { try await gateway.send("POST", "/devices", body, as: "user-\(number)").status }
                    }
                    #expect(try await group.next() == 503, "the line has an end")
                    #expect(try await gateway.send("DELETE", "/devices/none").status == 204)
                    #expect(try await waiting() == 1)
                }
                for try await status in group { #expect([200, 202, 503].contains(status)) }
            }
            #expect(try await gateway.send("POST", "/devices", #"{"deviceId":"phone","platform":"ios"}"#).status == 200)
        }
    }
}
