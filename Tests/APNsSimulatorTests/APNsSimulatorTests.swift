import APNsProtocol
import APNsSimulator
import FoundationEssentials
import HTTP2
import SightscreenModels
import TestKit
import Testing

struct APNsSimulatorTests {
    static let token = String(repeating: "a1", count: 32)
    static let state = ContentState(
        version: 1, matchDisplayState: .live, matchSentiment: .neutral,
        compactLeading: .init(teamAbbr: "MI", score: "1/0"), compactTrailing: .init(overs: "0.1", runRate: "6.00"),
        minimal: nil,
        expanded: .init(
            title: "MI v CSK", subtitle: "", innings: [], batters: [], bowler: nil, recentBalls: [], target: nil,
            requiredRunRate: nil, equation: nil, lastEvent: nil, status: nil))
    static var now: Int { Int(Date().timeIntervalSince1970) }

    static func update(_ stamp: Int = now) throws -> [UInt8] {
        try LiveActivityPayload.update(stamp: Stamp(stamp), contentState: state, staleAt: nil, relevance: nil).encode()
            .bytes
    }

    static func answer(_ outcome: HTTP2Outcome) throws -> APNsAnswer {
        guard case .response(let response) = outcome else { throw Tool.Failure(description: "\(outcome)") }
        return APNsAnswer(status: response.status, body: response.body)
    }

    @Test func aGoodPushIsTakenLoggedAndGivenAnId() async throws {
        try await SimulatorUnderTest.run { apns async throws in
            try await apns.register(Self.token)
            let connection = try await apns.connect()
            let stamp = Self.now
            let outcome = await connection.submit(
                path: "/3/device/\(Self.token)", headers: apns.headers(), body: try Self.update(stamp),
                timeout: .seconds(10))
            guard case .response(let response) = outcome else {
                Issue.record("\(outcome)")
                return
            }
            #expect(response.status == 200)
            #expect(response.body.isEmpty)
            let id = try #require(response.headers["apns-id"])
            #expect(UUID(uuidString: id) != nil)
            #expect(response.headers["apns-unique-id"] == nil)

            let lines = try await apns.deliveries()
            #expect(lines.count == 1)
            let line = try #require(lines.first)
            #expect(line.seq == 1)
            #expect(line.token == Self.token)
            #expect(line.environment == .production)
            #expect(abs(line.receivedAt / 1_000 - Int64(stamp)) < 60)
            #expect(line.payload?.aps.timestamp == stamp)
            #expect(line.payload?.aps.event == "update")
            #expect(line.verdict == DeliveryLine.Verdict(status: 200))
            #expect(line.deviceVerdict == "handled")
            #expect(line.headers["apns-priority"] == "5")
            #expect(line.headers["apns-id"] == id)
            #expect(line.headers[":path"] == "/3/device/\(Self.token)")
            #expect(line.headers["authorization"] == nil)
        }
    }

    @Test func eachMistakeIsRefusedWithApplesReason() async throws {
        try await SimulatorUnderTest.run { apns async throws in
            try await apns.register(Self.token)
            try await apns.register("dd01", kind: "device")
            try await apns.register("5b01", environment: .sandbox)
            let good = try Self.update()
            let topic = Credentials.bundleID
            let app: [String: String?] = ["apns-topic": topic, "apns-push-type": "background"]
            let path = "/3/device/\(Self.token)"
            let cases: [(String, [String: String?], [UInt8], APNsReason)] = [
                ("/3/nothing", [:], good, .badPath), ("/3/device/", [:], good, .missingDeviceToken),
                (path, ["authorization": nil], good, .missingProviderToken),
                (path, ["authorization": "bearer nonsense"], good, .invalidProviderToken),
                (path, ["authorization": try apns.credentials.bearer(keyID: "OTHERKEY")], good, .invalidProviderToken),
                (
                    path, ["authorization": try apns.credentials.bearer(teamID: "OTHERTEAM")], good,
                    .invalidProviderToken
                ),
                (path, ["authorization": try await Credentials().bearer()], good, .invalidProviderToken),
                (path, ["authorization": try apns.credentials.bearer(age: 3_601)], good, .expiredProviderToken),
                (path, ["apns-push-type": nil], good, .invalidPushType),
                (path, ["apns-push-type": "push-to-start"], good, .invalidPushType),
                (path, ["apns-topic": nil], good, .missingTopic), (path, ["apns-topic": topic], good, .badTopic),
                (path, ["apns-topic": "dev.other.push-type.liveactivity"], good, .topicDisallowed),
                (path, ["apns-priority": "3"], good, .badPriority),
                ("/3/device/dd01", app.merging(["apns-priority": "10"]) { $1 }, good, .badPriority),
                (path, ["apns-expiration": "later"], good, .badExpirationDate),
                (path, ["apns-collapse-id": String(repeating: "c", count: 65)], good, .badCollapseID),
                (path, ["apns-id": "7"], good, .badMessageID), (path, [:], [], .payloadEmpty),
                (path, [:], Array("{}".utf8), .payloadEmpty), (path, [:], Array("not json".utf8), .payloadEmpty),
                (path, [:], good + [UInt8](repeating: 0x20, count: 4_097 - good.count), .payloadTooLarge),
                (path, [:], [UInt8](repeating: 0x20, count: 100_000), .payloadTooLarge),
                ("/3/device/beef", [:], good, .badDeviceToken), ("/3/device/5b01", [:], good, .badDeviceToken),
                ("/3/device/xyz", [:], good, .badDeviceToken), (path, app, good, .deviceTokenNotForTopic),
                ("/3/device/dd01", [:], good, .deviceTokenNotForTopic),
            ]
            for (index, (path, changes, body, reason)) in cases.enumerated() {
                // A connection each: two of them show another provider token, which one connection must not do.
                let connection = try await apns.connect()
                let outcome = await connection.submit(
                    path: path, headers: apns.headers(changes), body: body, timeout: .seconds(10))
                #expect(try Self.answer(outcome) == APNsAnswer(reason), "case \(index): \(reason)")
                await connection.close()
            }
            let connection = try await apns.connect()
            let outcome = await connection.submit(
                path: path, headers: apns.headers(method: "PUT"), body: good, timeout: .seconds(10))
            #expect(try Self.answer(outcome) == APNsAnswer(.methodNotAllowed))

            let lines = try await apns.deliveries()
            #expect(lines.map(\.verdict.reason) == cases.map(\.3.rawValue) + ["MethodNotAllowed"])
            #expect(lines.allSatisfy { $0.deviceVerdict == nil })
            #expect(lines.contains { $0.payloadText == "not json" && $0.payload == nil })
        }
    }

    @Test func aDeletedTokenIsGoneSinceThenUntilItIsRegisteredAgain() async throws {
        try await SimulatorUnderTest.run { apns async throws in
            try await apns.register(Self.token.uppercased())
            let connection = try await apns.connect()
            let headers = apns.headers()
            func push() async throws -> APNsAnswer {
                try Self.answer(
                    await connection.submit(
                        path: "/3/device/\(Self.token)", headers: headers, body: try Self.update(),
                        timeout: .seconds(10)))
            }
            #expect(try await push() == .accepted)
            #expect(try await apns.control("DELETE", "/tokens/\(Self.token)?at=1700000000123").status == 204)
            #expect(try await push() == APNsAnswer(.unregistered, timestampMs: 1_700_000_000_123))
            let listed = try await apns.control("GET", "/tokens").body
            #expect(listed.contains(#""deletedAtMs":1700000000123"#) && listed.contains(#""kind":"update""#))
            try await apns.register(Self.token)
            #expect(try await push() == .accepted)
            #expect(try await apns.control("DELETE", "/tokens/0000").status == 404)
        }
    }

    @Test func theSandboxHasItsOwnTokens() async throws {
        try await SimulatorUnderTest.run { apns async throws in
            try await apns.register(Self.token, environment: .sandbox)
            let connection = try await apns.connect(sandbox: true)
            let outcome = await connection.submit(
                path: "/3/device/\(Self.token)", headers: apns.headers(), body: try Self.update(),
                timeout: .seconds(10))
            #expect(try Self.answer(outcome) == .accepted)
            guard case .response(let response) = outcome else { return }
            #expect(response.headers["apns-unique-id"] != nil)
            #expect(try await apns.deliveries().map(\.environment) == [.sandbox])
        }
    }

    @Test func aConnectionTakesOneNewProviderTokenInTwentyMinutes() async throws {
        try await SimulatorUnderTest.run { apns async throws in
            try await apns.register(Self.token)
            let connection = try await apns.connect()
            func push(_ bearer: String) async throws -> APNsAnswer {
                try Self.answer(
                    await connection.submit(
                        path: "/3/device/\(Self.token)", headers: apns.headers(["authorization": bearer]),
                        body: try Self.update(), timeout: .seconds(10)))
            }
            let (first, second) = (try apns.credentials.bearer(), try apns.credentials.bearer(age: 60))
            #expect(try await push(first) == .accepted)
            #expect(try await push(second) == APNsAnswer(.tooManyProviderTokenUpdates))
            #expect(try await push(first) == .accepted)
        }
    }

    @Test func aConnectionHasOneStreamUntilItsFirstValidRequest() async throws {
        try await SimulatorUnderTest.run({ $0.streamsMax = 7 }) { apns async throws in
            try await apns.register(Self.token)
            let log = "\(apns.credentials.folder)/nghttp"
            try Tool.write(String(decoding: try Self.update(), as: UTF8.self), to: log)
            let bearer = try apns.credentials.bearer()
            func settings(_ bearer: String) async throws -> [String] {
                let text = try await Tool.run(
                    [
                        "nghttp", "-v", "-n", "-H", "authorization: \(bearer)", "-H",
                        "apns-topic: \(Credentials.bundleID).push-type.liveactivity", "-H",
                        "apns-push-type: liveactivity", "-d", log,
                        "https://127.0.0.1:\(apns.ports.production)/3/device/\(Self.token)",
                    ], in: apns.credentials.folder)
                return text.split(separator: "\n").filter { $0.contains("MAX_CONCURRENT_STREAMS(0x03):") }
                    .compactMap { $0.split(separator: ":").last.map(String.init) }
            }
            let trusted = try await settings(bearer)
            // The client's own comes with a 100; the server's two are 1, then 7.
            #expect(trusted.contains("1]") && trusted.contains("7]"))
            let refused = try await settings("bearer nonsense")
            #expect(refused.contains("1]") && !refused.contains("7]"))
        }
    }

    @Test func whatAPhoneDropsInSilenceIsInTheLog() async throws {
        try await SimulatorUnderTest.run { apns async throws in
            try await apns.register(Self.token)
            try await apns.register("57a7", kind: "start")
            let connection = try await apns.connect()
            let headers = apns.headers()
            let now = Self.now
            let start = try LiveActivityPayload.start(
                stamp: Stamp(now), contentState: Self.state, staleAt: nil, relevance: nil,
                alert: PushAlert(title: "t", body: "b"), attributesType: "LiveActivityAttributes",
                attributes: LiveActivityAttributes(
                    matchID: MatchID(1), startID: StartID("s"), home: Team(id: 1, name: "A", code: "A"),
                    away: Team(id: 2, name: "B", code: "B"), competition: "C", startsAt: now)
            ).encode().bytes
            func without(_ part: String) -> [UInt8] {
                Array(String(decoding: start, as: UTF8.self).replacing(part, with: "x").utf8)
            }
            let end = LiveActivityPayload.end(stamp: Stamp(now), contentState: Self.state, dismissAt: now + 900)
            let pushes: [(String, [UInt8], DeviceOutcome)] = [
                (Self.token, try Self.update(now), .handled), (Self.token, try Self.update(now), .droppedOldTimestamp),
                (Self.token, try Self.update(now + 9 * 3_600), .droppedFarTimestamp),
                (
                    Self.token, Array(#"{"aps":{"event":"update","timestamp":\#(now + 1),"content-state":{}}}"#.utf8),
                    .notDecodable
                ),
                (Self.token, start, .wrongEventForToken), ("57a7", start, .handled),
                ("57a7", without("alert"), .missingAlert), ("57a7", without("attributes-type"), .wrongAttributesType),
                ("57a7", without("startsAt"), .attributesNotDecodable), (Self.token, try end.encode().bytes, .handled),
                (Self.token, try Self.update(now + 5), .alreadyEnded),
            ]
            for (token, body, _) in pushes {
                let outcome = await connection.submit(
                    path: "/3/device/\(token)", headers: headers, body: body, timeout: .seconds(10))
                #expect(try Self.answer(outcome) == .accepted)
            }
            #expect(try await apns.deliveries().map(\.deviceVerdict) == pushes.map(\.2.rawValue))
        }
    }

    @Test func curlAgrees() async throws {
        try await SimulatorUnderTest.run { apns async throws in
            try await apns.register(Self.token)
            func push(_ bearer: String, id: String? = nil) async throws -> String {
                var arguments = [
                    "curl", "-s", "-i", "-m", "20", "--http2", "--cacert", apns.credentials.certificateFile, "-H",
                    "authorization: \(bearer)", "-H", "apns-topic: \(Credentials.bundleID).push-type.liveactivity",
                    "-H",
                    "apns-push-type: liveactivity", "-d", String(decoding: try Self.update(), as: UTF8.self),
                    "https://localhost:\(apns.ports.production)/3/device/\(Self.token)",
                ]
                if let id { arguments += ["-H", "apns-id: \(id)"] }
                return try await Tool.run(arguments, in: apns.credentials.folder)
            }
            let id = "0D5A1F3C-2B64-4F6E-9C1D-0123456789AB"
            let good = try await push(try apns.credentials.bearer(), id: id)
            #expect(good.hasPrefix("HTTP/2 200"))
            #expect(good.contains("apns-id: \(id)"))
            let bad = try await push("bearer x")
            #expect(bad.hasPrefix("HTTP/2 403"))
            #expect(bad.contains(#"{"reason":"InvalidProviderToken"}"#))
        }
    }

    @Test func thePortsAreWrittenDown() async throws {
        try await SimulatorUnderTest.run { apns async throws in
            let path = "\(apns.credentials.folder)/run/apns-simulator/ports.json"
            let written = try JSONDecoder().decode(SimulatorPorts.self, from: Data(contentsOf: URL(filePath: path)))
            #expect(written == apns.ports)
            let all = [
                written.production, written.sandbox, written.management, written.sandboxManagement, written.control,
            ]
            #expect(Set(all).count == 5)
        }
    }
}
