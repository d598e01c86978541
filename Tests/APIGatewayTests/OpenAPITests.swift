import FoundationEssentials
import SightscreenModels
import TestKit
import Testing
import Tokens

@testable import APIGateway

/// The document against the routes as they answer, against the types behind the answers, and against the copy that
/// readers have.
@Suite struct OpenAPITests {
    static let standIn = ["REPLAY_URL": "http://127.0.0.1:9", "SIGHTSCREEN_STAND_INS": "1"]

    static func document(_ gateway: GatewayHarness) async throws -> JSONValue {
        let answer = try await gateway.send("GET", "/openapi.json", as: nil)
        #expect(answer.status == 200)
        return try JSONValue(strict: answer.body, depthMax: 64)
    }

    @Test func whatIsDocumentedExistsAndNothingElseDoes() async throws {
        try await GatewayHarness.run(environment: Self.standIn) { gateway in
            let paths = try #require(try await Self.document(gateway).object?["paths"]?.object)
            #expect(paths.count > 20)
            for (path, item) in paths {
                let real = path.replacing("{id}", with: "77").replacing("{deviceToken}", with: "x")
                let documented = Set(try #require(item.object).keys.map { $0.uppercased() })
                for method in ["GET", "POST", "PUT", "PATCH", "DELETE"] {
                    let answer = try await gateway.send(method, real, as: nil)
                    if documented.contains(method) {
                        #expect(answer.status != 405 && answer.problem != "not-found", "\(method) \(path)")
                    } else {
                        #expect(answer.status == 405, "\(method) \(path) answers \(answer.status)")
                        let allowed = Set((answer.header("allow") ?? "").split(separator: ", ").map(String.init))
                        #expect(allowed.subtracting(["HEAD"]) == documented, "\(path)")
                    }
                }
            }
            let index = try JSONValue(strict: try await gateway.send("GET", "/", as: nil).body)
            let documented = paths.values.reduce(0) { $0 + ($1.object?.count ?? 0) }
            #expect(index.object?["calls"]?.array?.count == documented)
        }
    }

    @Test func whoMayCallIsAsDocumented() async throws {
        try await GatewayHarness.run(environment: Self.standIn) { gateway in
            var calls = 0
            for (path, item) in try #require(try await Self.document(gateway).object?["paths"]?.object) {
                let real = path.replacing("{id}", with: "77").replacing("{deviceToken}", with: "x")
                for (method, operation) in try #require(item.object) {
                    let security = try #require(operation.object?["security"]?.array)
                    let stranger = try await gateway.send(method.uppercased(), real, as: nil)
                    // Each as another user: one of the calls deletes its own.
                    calls += 1
                    let user = try await gateway.send(method.uppercased(), real, as: "user-\(calls)")
                    switch security.count {
                    case 0: #expect(stranger.status == 200, "\(path)")
                    case 1: #expect(stranger.status == 401 && user.status != 401 && user.status != 403, "\(path)")
                    default: #expect(stranger.status == 401 && user.status == 403, "\(path)")
                    }
                }
            }
        }
    }

    @Test func operationsHaveNamesOfTheirOwnAndComponentsExist() async throws {
        try await GatewayHarness.run(environment: Self.standIn) { gateway in
            let document = try await Self.document(gateway)
            var ids: [String] = []
            var references: Set<String> = []
            func walk(_ value: JSONValue) {
                if let members = value.object {
                    if let id = members["operationId"]?.string { ids.append(id) }
                    if let reference = members["$ref"]?.string { references.insert(reference) }
                    members.values.forEach(walk)
                }
                value.array?.forEach(walk)
            }
            walk(document)
            #expect(Set(ids).count == ids.count)
            for reference in references {
                let found = reference.split(separator: "/").dropFirst().reduce(Optional(document)) {
                    $0?.object?[String($1)]
                }
                #expect(found != nil, "\(reference)")
            }
        }
    }

    /// An operation that leaves these out has a default, which no other test would notice.
    @Test func noCallForgetsItsTagItsLimitOrTheUnknownMatch() async throws {
        try await GatewayHarness.run(environment: Self.standIn) { gateway in
            for route in gateway.routes {
                let place = "\(route.method) \(route.path)"
                if route.path.contains(":id") { #expect(route.refusals.contains(.unknownMatch), "\(place)") }
                if route.method != "GET" { #expect(route.operation.limit != .reads, "\(place)") }
                guard route.method == "GET", route.access == .users else { continue }
                let path = route.path.replacing(":id", with: "\(GatewayHarness.match)")
                let answer = try await gateway.send("GET", path)
                #expect(answer.status == 200, "\(place)")
                // The export says when it was made.
                #expect((answer.header("etag") == nil) == (path == "/user/data"), "\(place)")
            }
        }
    }

    /// `UPDATE_OPENAPI=1` writes the copy anew.
    @Test func theCopyForReadersIsTheDocument() async throws {
        try await GatewayHarness.run(environment: Self.standIn) { gateway in
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
            let text = try encoder.encode(try await Self.document(gateway))
            let copy = URL(filePath: #filePath).deletingLastPathComponent().appending(
                path: "../../deploy/docs/openapi.json"
            ).standardizedFileURL
            if ProcessInfo.processInfo.environment["UPDATE_OPENAPI"] == "1" {
                try (text + Data("\n".utf8)).write(to: copy)
            }
            #expect(try Data(contentsOf: copy) == text + Data("\n".utf8), "UPDATE_OPENAPI=1 writes it anew")
        }
    }

    /// Each body's is taken by the call itself, each answer's is as its schema says.
    @Test func everyOperationHasExamples() async throws {
        try await GatewayHarness.run(environment: Self.standIn) { gateway in
            let document = try await Self.document(gateway)
            let schemas = try #require(document.object?["components"]?.object?["schemas"]?.object)
            /// The component that a content is, and its example.
            func example(_ content: JSONValue, _ place: String) throws -> (component: String, example: JSONValue) {
                let reference = try #require(content.object?["schema"]?.object?["$ref"]?.string)
                let component = String(try #require(reference.split(separator: "/").last))
                let examples = schemas[component]?.object?["examples"]?.array
                return (component, try #require(examples?.first, "\(place): \(component)"))
            }
            for (path, item) in try #require(document.object?["paths"]?.object) {
                let real = path.replacing("{id}", with: "77").replacing("{deviceToken}", with: "x")
                for (method, operation) in try #require(item.object) {
                    let place = "\(method) \(path)"
                    if let body = operation.object?["requestBody"]?.object {
                        let content = try #require(body["content"]?.object?["application/json"])
                        let json = try JSONEncoder().encode(try example(content, place).example)
                        let answer = try await gateway.send(
                            method.uppercased(), real, String(decoding: json, as: UTF8.self),
                            isAdmin: path.hasPrefix("/admin/"))
                        #expect(!["invalid-request", "invalid-json"].contains(answer.problem), "\(place)")
                    }
                    for response in try #require(operation.object?["responses"]?.object).values {
                        for content in (response.object?["content"]?.object ?? [:]).values {
                            let (component, example) = try example(content, place)
                            try Self.check(example, try #require(AnswerSchemas.all[component]), component)
                        }
                    }
                }
            }
        }
    }

    // MARK: - Schemas against types

    /// Every key of an answer is documented, every required one is there, and types agree.
    static func check(_ value: some Encodable, is component: String) throws {
        let json = try JSONValue(strict: [UInt8](try JSONEncoder().encode(value)), depthMax: 64)
        let schema = try #require(AnswerSchemas.all[component])
        try check(json, schema, component)
    }

    private static func check(_ value: JSONValue, _ schema: Schema, _ path: String) throws {
        switch schema {
        case .named(let name): try check(value, try #require(AnswerSchemas.all[name]), "\(path)→\(name)")
        case .object(let fields):
            let members = try #require(value.object, "\(path)")
            for field in fields {
                if let member = members[field.name] {
                    try check(member, field.schema, "\(path).\(field.name)")
                } else {
                    #expect(!field.isRequired, "\(path).\(field.name) is missing")
                }
            }
            if !fields.isEmpty {
                #expect(Set(members.keys).subtracting(fields.map(\.name)).isEmpty, "\(path) has undocumented keys")
            }
        case .list(let element, _):
            for item in try #require(value.array, "\(path)") { try check(item, element, "\(path)[]") }
        default: #expect(schema.fault(in: value, at: "x") == nil, "\(path): \(value)")
        }
    }

    static let state = ContentState(
        version: 3, matchDisplayState: .live, matchSentiment: .tense,
        compactLeading: .init(teamAbbr: "MI", score: "87/6"), compactTrailing: .init(overs: "12.3", runRate: "6.96"),
        minimal: .init(teamAbbr: "MI", score: "87/6"),
        expanded: .init(
            title: "MI v CSK", subtitle: "Final",
            innings: [.init(teamAbbr: "MI", score: "87", overs: "12.3", allOut: true)],
            batters: [.init(name: "R", score: "1 (2)", strikeRate: "50", onStrike: true)],
            bowler: .init(name: "B", figures: "1-0-1-0", economy: "1"), recentBalls: ["1"], target: "172",
            requiredRunRate: "9", equation: "MI need 85", lastEvent: .init(kind: .wicket, ball: "12.3", text: "out"),
            lastWicket: "B 1 (2)", partnership: "0 (0)", session: "Day 1", asOf: 1,
            outcome: .init(winnerAbbr: "MI", text: "won"), status: "Lunch"))

    @Test func answersAreAsTheirSchemasSay() throws {
        let bare = ContentState(
            version: 1, matchDisplayState: .scheduled, matchSentiment: .neutral,
            compactLeading: .init(teamAbbr: "MI", score: ""), compactTrailing: .init(overs: "", runRate: ""),
            minimal: nil,
            expanded: .init(
                title: "", subtitle: "", innings: [], batters: [], bowler: nil, recentBalls: [], target: nil,
                requiredRunRate: nil, equation: nil, lastEvent: nil, status: nil))
        for state in [Self.state, bare] { try Self.check(state, is: "ContentState") }
        func side(_ full: Bool) -> MatchItem.Side {
            .init(id: "1", name: "Mumbai", abbr: "MI", logo: full ? "https://x/1.png" : nil)
        }
        func match(_ full: Bool) -> MatchItem {
            MatchItem(
                id: MatchID(5), leagueId: "1", competition: "IPL", round: "", format: "twenty20", status: .live,
                startsAt: full ? 1 : nil, home: side(full), away: side(full), venue: "", note: full ? "x" : nil,
                winnerId: full ? "1" : nil, displayState: full ? Self.state : nil, relevance: full ? 72.5 : nil)
        }
        for full in [true, false] {
            try Self.check(match(full), is: "Match")
            let cursor = full ? "1-2" : nil
            try Self.check(
                MatchesResponse(
                    matches: [match(full)], nextCursor: cursor, retryAfterMs: 1, listedUntil: full ? 1 : nil),
                is: "Matches")
            try Self.check(LiveMatchesResponse(matches: [match(full)], retryAfterMs: 1), is: "LiveMatches")
            try Self.check(
                FollowResponse(
                    following: true, displayState: full ? Self.state : nil, liveActivity: .starting,
                    relevance: full ? 100 : nil),
                is: "Following")
            let follow = FollowItem(
                matchId: MatchID(5), teamId: full ? "1" : nil, alerts: .key, followedAt: 1, expiresAt: full ? 2 : nil)
            try Self.check(FollowsResponse(follows: [follow]), is: "Follows")
            try Self.check(
                ActivityTokenResponse(liveActivity: .ended, displayState: full ? Self.state : nil), is: "Activity")
            try Self.check(
                ProblemDocument(
                    type: "/problems/unauthorized", title: "x", status: 401, detail: full ? "x" : nil,
                    field: full ? "x" : nil, requestId: "x"), is: "Problem")
            let config = AppConfig(
                minAppVersion: "1", storeUrl: "https://x", maintenanceMode: full, maintenanceMessage: full ? "x" : nil,
                updateRequired: full ? true : nil)
            try Self.check(config, is: "AppConfig")
            try Self.check(
                AdminConfigResponse(effective: config, overridden: ["storeUrl"], changedAt: full ? 1 : nil),
                is: "AdminConfig")
            let fixture = SyncedFixture(
                matchId: MatchID(5), leagueId: "1", competition: "", round: "", format: "", status: "NS",
                startsAt: full ? 1 : nil, home: side(full), away: side(full), venue: "", note: full ? "" : nil,
                winnerId: full ? "1" : nil, syncedAt: 1, missingSince: full ? 1 : nil,
                displayState: full ? "live" : nil, version: full ? 1 : nil)
            try Self.check(SyncedFixturesResponse(fixtures: [fixture], nextCursor: cursor), is: "SyncedFixtures")
            try Self.check(
                HoldResponse(
                    matchId: full ? MatchID(5) : nil, hold: .alerts, effective: .pushes, setAt: full ? 1 : nil,
                    setBy: full ? "api-key" : nil), is: "Hold")
            let entry = AuditEntry(id: "1", at: 1, actor: "api-key", action: "x", detail: full ? ["a": "b"] : [:])
            try Self.check(AuditResponse(entries: [entry], nextCursor: cursor), is: "Audit")
        }
        for full in [true, false] {
            let device = UserDataResponse.Device(
                deviceId: DeviceID("x"), platform: "ios", environment: .production,
                deviceTokenAt: full ? 1 : nil,
                pushToStartTokenAt: full ? 1 : nil,
                osVersion: full ? "1" : nil, appVersion: full ? "1" : nil, liveActivitiesEnabled: true,
                frequentPushesEnabled: true, createdAt: 1, lastSeenAt: 1, fallbackStep: "silent",
                fallbackAt: full ? 1 : nil, visiblePushAt: full ? 1 : nil, reconcileSentAt: full ? 1 : nil)
            let activity = UserDataResponse.Activity(
                matchId: MatchID(5), deviceId: DeviceID("x"), generation: 1, status: "ended",
                endReason: full ? "match_end" : nil, startId: full ? StartID("s") : nil, startsSent: 1,
                startSentAt: full ? 1 : nil, startGivenUpAt: full ? 1 : nil,
                activityId: full ? ActivityID("a") : nil, activityTokenAt: full ? 1 : nil, endPush: "none",
                createdAt: 1, activatedAt: full ? 1 : nil,
                endedAt: full ? 1 : nil, renewalDueAt: full ? 1 : nil, renewalStartId: full ? StartID("s") : nil,
                renewalSentAt: full ? 1 : nil, seenAt: full ? 1 : nil, card: full ? "gone" : nil)
            let follow = UserDataResponse.Follow(
                matchId: MatchID(5), teamId: full ? "1" : nil, alerts: "all", followedAt: 1,
                expiresAt: full ? 2 : nil)
            try Self.check(
                UserDataResponse(
                    userId: UserID("u"), exportedAt: 1, deletedAt: full ? 1 : nil, devices: [device],
                    follows: [follow], liveActivities: [activity], liveActivitiesOmitted: full ? 1 : nil),
                is: "UserData")
        }
        try Self.check(DeviceResponse(deviceId: DeviceID("x"), liveActivitiesCapable: true), is: "Device")
        try Self.check(
            DeviceResponse(
                deviceId: DeviceID("x"), liveActivitiesCapable: true, end: [ActivityID("a")],
                tokensWanted: [ActivityID("b")], gone: [MatchID(5)]), is: "Device")
        try Self.check(UnfollowResponse(following: false), is: "Unfollowed")
        let position = ReplayClient.Position(
            matchId: "5", tapeId: "5", title: "", variant: "clean", seed: "1", cursor: 0, frames: 1, label: "",
            playing: true, speed: 1.5, isLast: false)
        try Self.check(["matches": [position]], is: "Replays")
        try Self.check(["tapes": [ReplayClient.Tape(tapeId: "5", title: "x")]], is: "Tapes")
    }

    // MARK: - Forms

    /// The hand-written checks take what the document's patterns take, and nothing else.
    @Test(arguments: TextForm.allCases) func aFormIsItsPattern(_ form: TextForm) throws {
        guard case .object(let members) = form.document, case .string(let pattern)? = members["pattern"] else { return }
        let regex = try Regex(pattern).matchingSemantics(.unicodeScalar)
        func limit(_ name: String) -> Int? { members[name]?.integer }
        func fits(_ text: String) -> Bool {
            // "$" also stands before a last line feed; in ECMA 262, and so in a JSON Schema, it does not.
            text.wholeMatch(of: regex) != nil
                && ((limit("minLength") ?? 0)...(limit("maxLength") ?? Int.max)).contains(text.unicodeScalars.count)
        }
        var random = SeededGenerator(seed: 11)
        let alphabet = Array("0123456789abcdefABCDEFxyzXYZ.-_:/ \n\u{0}\u{7f}\u{85}é€😀%")
        var accepted = 0
        for _ in 0..<20_000 {
            let count = [0, 1, 2, 3, 5, 18, 19, 20, 21, 63, 64, 65, 66].randomElement(using: &random) ?? 0
            let letters = alphabet.prefix(Int.random(in: 1...alphabet.count, using: &random))
            var text = String((0..<count).map { _ in letters.randomElement(using: &random) ?? "0" })
            if form == .webAddress { text = "https://" + text }
            if form == .cursor { text = text.replacing("a", with: "-") }
            let isAccepted = form.accepts(text)
            #expect(isAccepted == fits(text), "\(text.debugDescription)")
            if isAccepted { accepted += 1 }
        }
        #expect(accepted > 20)
    }
}
