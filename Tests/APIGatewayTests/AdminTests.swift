import SightscreenModels
import Testing

@Suite struct AdminTests {
    private static let changes = #"{"minAppVersion":"3.0","maintenanceMode":true,"maintenanceMessage":"Back at 10."}"#

    @Test func onlyAdministratorsGetIn() async throws {
        try await GatewayHarness.run { gateway in
            for path in ["/admin/config", "/admin/sportmonks/fixtures", "/admin/cache/stats", "/admin/audit"] {
                #expect(try await gateway.send("GET", path, as: nil).status == 401)
                let refused = try await gateway.send("GET", path)
                #expect(refused.status == 403)
                #expect(refused.problem == "forbidden")
                #expect(try await gateway.send("GET", path, isAdmin: true).status == 200)
            }
            #expect(try await gateway.send("PATCH", "/admin/config", Self.changes).status == 403)
            #expect(
                try await gateway.send("GET", "/app/config", as: nil).decode(AppConfig.self).minAppVersion == "1.0.0")
        }
    }

    @Test func theAppsConfigIsChangedAndTakenBack() async throws {
        try await GatewayHarness.run { gateway in
            let before = try await gateway.send("GET", "/app/config", as: nil)
            let changed = try await gateway.send("PATCH", "/admin/config", Self.changes, isAdmin: true)
            #expect(changed.status == 200, "\(changed.text)")
            let answer = try changed.decode(AdminConfigResponse.self)
            #expect(answer.overridden == ["minAppVersion", "maintenanceMode", "maintenanceMessage"])
            let config = try await gateway.send("GET", "/app/config?version=2.9.9&platform=ios", as: nil)
            #expect(config.header("etag") != before.header("etag"))
            let told = try config.decode(AppConfig.self)
            #expect(told.minAppVersion == "3.0" && told.maintenanceMode && told.updateRequired == true)
            #expect(told.maintenanceMessage == "Back at 10.")
            // The app's platforms have one page in the store; another one is a mistake, and is told so.
            #expect(try await gateway.send("GET", "/app/config?platform=ipados", as: nil).status == 200)
            let other = try await gateway.send("GET", "/app/config?platform=android", as: nil)
            #expect(other.status == 400 && other.text.contains("ios, ipados"), "\(other.text)")
            for version in ["3", "3.0.0", "10.0"] {
                let newer = try await gateway.send("GET", "/app/config?version=\(version)", as: nil)
                #expect(try newer.decode(AppConfig.self).updateRequired == false, "\(version)")
            }
            let back = try await gateway.send(
                "PATCH", "/admin/config", #"{"minAppVersion":null,"maintenanceMode":null,"maintenanceMessage":null}"#,
                isAdmin: true)
            #expect(try back.decode(AdminConfigResponse.self).overridden.isEmpty)
            #expect(try await gateway.send("GET", "/app/config", as: nil).header("etag") == before.header("etag"))
        }
    }

    @Test func everyCallOfAnAdministratorIsWrittenDown() async throws {
        try await GatewayHarness.run { gateway in
            _ = try await gateway.send(
                "PATCH", "/admin/config", Self.changes, isAdmin: true, headers: [("x-request-id", "change-1")])
            for path in ["/admin/config", "/admin/sportmonks/fixtures", "/admin/cache/stats"] {
                _ = try await gateway.send("GET", path, isAdmin: true)
            }
            #expect(try await gateway.send("POST", "/admin/cache/clear", isAdmin: true).status == 204)
            let audit = try await gateway.send("GET", "/admin/audit?limit=3", as: "olga", isAdmin: true).decode(
                AuditResponse.self)
            #expect(audit.entries.map(\.action) == ["audit-read", "cache-clear", "cache-stats"])
            #expect(audit.entries.first?.actor == "user:\(GatewayHarness.sub("olga"))")
            let cursor = try #require(audit.nextCursor)
            let older = try await gateway.send("GET", "/admin/audit?before=\(cursor)", isAdmin: true).decode(
                AuditResponse.self)
            #expect(older.entries.map(\.action) == ["fixtures-read", "config-read", "config"])
            #expect(older.nextCursor == nil)
            let change = try #require(older.entries.last)
            #expect(change.actor == "user:\(GatewayHarness.sub("alice"))")
            #expect(change.detail["requestId"] == "change-1")
            #expect(change.detail["before"] == "{}")
            #expect(change.detail["after"]?.contains(#""minAppVersion":"3.0""#) == true)
        }
    }

    @Test func theProvidersFixturesComeInPages() async throws {
        try await GatewayHarness.run { gateway in
            let first = try await gateway.send("GET", "/admin/sportmonks/fixtures?limit=2", isAdmin: true).decode(
                SyncedFixturesResponse.self)
            #expect(first.fixtures.map(\.matchId) == [GatewayHarness.finishedMatch, GatewayHarness.match])
            #expect(first.fixtures.last?.version == 7)
            let cursor = try #require(first.nextCursor)
            let second = try await gateway.send(
                "GET", "/admin/sportmonks/fixtures?limit=2&cursor=\(cursor)", isAdmin: true
            ).decode(SyncedFixturesResponse.self)
            #expect(second.fixtures.map(\.matchId) == [GatewayHarness.laterMatch])
            #expect(second.fixtures.first?.status == "NS")
            #expect(second.nextCursor == nil)
        }
    }

    private struct Stats: Decodable {
        struct Count: Decodable {
            var hits: Int
            var misses: Int
            var entries: Int
        }
        var replies: Count
    }

    private static func counts(_ gateway: GatewayHarness) async throws -> Stats.Count {
        try await gateway.send("GET", "/admin/cache/stats", isAdmin: true).decode(Stats.self).replies
    }

    @Test func aReadIsAnsweredFromTheCacheUntilItIsCleared() async throws {
        try await GatewayHarness.run(cacheAge: .seconds(60)) { gateway in
            for user in ["alice", "bob", "carol"] {
                #expect(try await gateway.send("GET", "/matches/\(GatewayHarness.match)", as: user).status == 200)
            }
            let asked = try await Self.counts(gateway)
            #expect(asked.hits + asked.misses == 3)
            #expect(asked.hits == 2)
            #expect(try await gateway.send("POST", "/admin/cache/clear", isAdmin: true).status == 204)
            let cleared = try await Self.counts(gateway)
            #expect(cleared.entries == 0)
            // A failure is not kept.
            let missing = try await gateway.send("GET", "/matches/77")
            #expect(missing.status == 404)
            let refused = try await Self.counts(gateway)
            #expect(refused.entries == 0)
        }
    }

    @Test func aHoldIsSetLiftedAndWrittenDown() async throws {
        try await GatewayHarness.run { gateway in
            let path = "/admin/matches/\(GatewayHarness.match)/hold"
            func hold(_ method: String, _ path: String, _ body: String? = nil) async throws -> HoldResponse {
                let answer = try await gateway.send(method, path, body, isAdmin: true)
                #expect(answer.status == 200, "\(answer.text)")
                return try answer.decode(HoldResponse.self)
            }
            let free = try await hold("GET", path)
            #expect(free.hold == .none && free.effective == .none && free.setAt == nil)
            let held = try await hold("PUT", path, #"{"hold":"alerts"}"#)
            #expect(held.hold == .alerts && held.effective == .alerts && held.matchId == GatewayHarness.match)
            #expect(gateway.notifier.holdNotifications == 1)
            let everywhere = try await hold("POST", "/admin/hold", #"{"hold":"pushes"}"#)
            #expect(everywhere.hold == .pushes && everywhere.matchId == nil)
            let both = try await hold("GET", path)
            #expect(both.hold == .alerts && both.effective == .pushes)
            _ = try await hold("PUT", "/admin/hold", #"{"hold":"none"}"#)
            let lifted = try await hold("PUT", path, #"{"hold":"none"}"#)
            #expect(lifted.effective == .none)
            let unknown = try await gateway.send("PUT", "/admin/matches/77/hold", #"{"hold":"alerts"}"#, isAdmin: true)
            #expect(unknown.problem == "unknown-match")
            let wrong = try await gateway.send("PUT", path, #"{"hold":"all"}"#, isAdmin: true)
            #expect(wrong.status == 400)
            let refused = try await gateway.send("PUT", path, #"{"hold":"pushes"}"#)
            #expect(refused.status == 403)
            let audit = try await gateway.send("GET", "/admin/audit", isAdmin: true).decode(AuditResponse.self)
            #expect(
                audit.entries.filter { $0.action == "hold" }.map { $0.detail["level"] } == [
                    "none", "none", "pushes", "alerts",
                ])
        }
    }

    @Test func withoutAStandInThereAreNoReplays() async throws {
        try await GatewayHarness.run { gateway in
            for path in ["/admin/replay/tapes", "/admin/replay/matches", "/admin/replay/matches/1"] {
                let answer = try await gateway.send("GET", path, isAdmin: true)
                #expect(answer.status == 404)
            }
        }
    }
}
