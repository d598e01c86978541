import APNsProtocol
import APNsSimulator
import HTTP2
import SightscreenClientTesting
import SightscreenModels
import TestKit
import Testing

/// What a fan-out to very many devices needs of the simulator.
struct SimulatorScaleTests {
    private static let token = APNsSimulatorTests.token
    private static let path = "/3/device/\(token)"

    private static func alert(_ text: String, _ stamp: Int) throws -> [UInt8] {
        try LiveActivityPayload.update(
            stamp: Stamp(stamp), contentState: APNsSimulatorTests.state, staleAt: nil, relevance: nil,
            alert: PushAlert(title: text, body: "b")
        ).encode().bytes
    }

    private func push(
        _ apns: SimulatorUnderTest, _ connection: HTTP2ClientConnection, _ changes: [String: String?] = [:],
        path: String = Self.path, body: [UInt8]
    ) async throws -> APNsAnswer {
        try APNsSimulatorTests.answer(
            await connection.submit(path: path, headers: apns.headers(changes), body: body, timeout: .seconds(10)))
    }

    @Test(arguments: ["\n", ",", " ,\n"])
    func tokensComeInAnyNumber(separator: String) async throws {
        try await SimulatorUnderTest.run { apns async throws in
            var objects = (0..<25_000).map { number in
                let digits = String(number + 0x1000_0000, radix: 16)
                return #"{"token":"\#(digits)","kind":"update","environment":"production","match":\#(number % 2)}"#
            }
            // As nobody but people write it.
            objects[3] =
                "{ \"kind\" : \"start\",\n\"token\": \"\\u0061B03\", \"environment\":\"sandbox\", \"x\": [{}] }"
            let isArray = separator != "\n"
            let file = "\(apns.credentials.folder)/tokens"
            let text = objects.joined(separator: separator)
            try Tool.write(isArray ? "[\(text)]" : text, to: file)
            #expect(try await apns.control("POST", "/tokens", "@\(file)").status == 201)
            let counts = try await apns.control("GET", "/counts").body
            #expect(counts.contains(#""tokens":25000"#))
            #expect(counts.contains(#""devices":12500,"ended":0,"match":0"#))
            #expect(counts.contains(#""devices":12499,"ended":0,"match":1"#))
            let sandbox = try await apns.connect(sandbox: true)
            let start = try await push(apns, sandbox, path: "/3/device/ab03", body: try APNsSimulatorTests.update())
            #expect(start == .accepted)
            #expect(try await apns.control("POST", "/tokens", objects[0] + objects[1] + "{}").status == 400)
            #expect(try await apns.control("POST", "/tokens", "[\(objects[0])").body.contains("breaks off"))
        }
    }

    @Test func countsTellWhoWasAlertedTwiceAndWhatDevicesShow() async throws {
        try await SimulatorUnderTest.run { apns async throws in
            for (token, match) in [("a1", "7"), ("a2", "7"), ("a3", "null")] {
                let body =
                    #"{"token":"\#(token)","kind":"update","environment":"production","match":\#(match)}"#
                #expect(try await apns.control("POST", "/tokens", body).status == 201)
            }
            let connection = try await apns.connect()
            let now = APNsSimulatorTests.now
            for (token, text, stamp) in [("a1", "W", now), ("a2", "W", now), ("a1", "W", now), ("a1", "W", now + 1)] {
                let body = try Self.alert(text, stamp)
                #expect(try await push(apns, connection, path: "/3/device/\(token)", body: body) == .accepted)
            }
            let unknown = try await push(apns, connection, path: "/3/device/ff", body: try Self.alert("W", now))
            #expect(unknown == APNsAnswer(.badDeviceToken))
            let counts = try await apns.control("GET", "/counts").body
            #expect(
                counts.contains(#"{"body":"b","devices":2,"devicesAgain":1,"pushes":4,"pushesAgain":2,"title":"W"}"#))
            #expect(counts.contains(#""alertedAgain":1"#))
            #expect(
                counts.contains(
                    #""match":7,"stamps":[{"devices":1,"stamp":\#(now + 1)},{"devices":1,"stamp":\#(now)}]"#))
            #expect(counts.contains(#"{"deleted":0,"devices":1,"ended":0,"stamps":[{"devices":1}]}"#))
            #expect(
                counts.contains(
                    #"{"count":3,"deviceVerdict":"handled","environment":"production","event":"update","priority":5,"status":200}"#
                ))
            #expect(counts.contains(#""reason":"BadDeviceToken","status":400"#))
        }
    }

    @Test func anAnswersDelayHoldsTheConnectionsWindow() async throws {
        try await SimulatorUnderTest.run({ $0.answerDelayMs = 200 }) { apns async throws in
            try await apns.register(Self.token)
            let connection = try await apns.connect()
            let good = try APNsSimulatorTests.update()
            // Opens the connection's streams.
            #expect(try await push(apns, connection, body: good) == .accepted)
            let body = good + [UInt8](repeating: 0x20, count: 4_096 - good.count)
            let start = ContinuousClock.now
            try await withThrowingTaskGroup(of: APNsAnswer.self) { group in
                for _ in 0..<40 { group.addTask { try await push(apns, connection, body: body) } }
                for try await answer in group { #expect(answer == .accepted) }
            }
            // Sixteen fit into the window at once: the others wait for answers, some of them for a second one.
            #expect(ContinuousClock.now - start >= .milliseconds(600))
        }
    }

    @Test func aRefusedPushMayCostStreams() async throws {
        try await SimulatorUnderTest.run({ ($0.streamsMax, $0.streamsAfterRefusal) = (7, 2) }) { apns async throws in
            let file = "\(apns.credentials.folder)/nghttp"
            try Tool.write(String(decoding: try APNsSimulatorTests.update(), as: UTF8.self), to: file)
            var arguments = ["nghttp", "-v", "-n", "-d", file]
            for field in apns.headers().fields where field.name.first != ":" {
                arguments += ["-H", "\(field.name): \(field.value)"]
            }
            let url = "https://127.0.0.1:\(apns.ports.production)\(Self.path)"
            let text = try await Tool.run(arguments + [url], in: apns.credentials.folder)
            let limits = text.split(separator: "\n").filter { $0.contains("MAX_CONCURRENT_STREAMS(0x03):") }
                .compactMap { $0.split(separator: ":").last?.dropLast().description }.filter { $0 != "100" }
            #expect(limits == ["1", "2"])
        }
    }

    @Test func aGoodPushBringsTheStreamsBack() async throws {
        try await SimulatorUnderTest.run({ ($0.streamsAfterRefusal, $0.answerDelayMs) = (1, 500) }) {
            apns async throws in
            try await apns.register(Self.token)
            let connection = try await apns.connect()
            let body = try APNsSimulatorTests.update()
            func time(_ pushes: Int) async throws -> Duration {
                let start = ContinuousClock.now
                try await withThrowingTaskGroup(of: APNsAnswer.self) { group in
                    for _ in 0..<pushes { group.addTask { try await push(apns, connection, body: body) } }
                    for try await answer in group { #expect(answer == .accepted) }
                }
                return ContinuousClock.now - start
            }
            #expect(try await push(apns, connection, path: "/3/device/ff", body: body).status == 400)
            // One alone, whose answer lets the others go.
            let two = try await time(2)
            #expect(two >= .seconds(1))
            // One after the other they would take eight times as long.
            #expect(try await time(16) < two * 6)
        }
    }

    @Test func aPhonesBudgetIsInTheLogAndNotInTheAnswer() async throws {
        try await SimulatorUnderTest.run({ $0.budgets = .init(immediate: 2, immediateInfrequent: 1) }) {
            apns async throws in
            try await apns.register("a1")
            let infrequent =
                #"{"token":"a2","kind":"update","environment":"production","frequentPushes":false}"#
            #expect(try await apns.control("POST", "/tokens", infrequent).status == 201)
            let connection = try await apns.connect()
            for token in ["a1", "a2"] {
                for second in 0..<3 {
                    let body = try APNsSimulatorTests.update(APNsSimulatorTests.now + second)
                    let answer = try await push(
                        apns, connection, ["apns-priority": "10"], path: "/3/device/\(token)", body: body)
                    #expect(answer == .accepted)
                }
            }
            let (taken, dropped) = ("handled", "updateBudgetExceeded")
            #expect(
                try await apns.deliveries().map(\.deviceVerdict) == [taken, taken, dropped, taken, dropped, dropped])
        }
    }

    @Test func faultsHaveAShareAndATime() async throws {
        try await SimulatorUnderTest.run { apns async throws in
            try await apns.register(Self.token)
            let connection = try await apns.connect()
            func statuses(_ fault: String, _ count: Int) async throws -> [Int] {
                #expect(try await apns.control("POST", "/faults", fault).status == 201)
                var statuses: [Int] = []
                for _ in 0..<count {
                    statuses.append(try await push(apns, connection, body: try APNsSimulatorTests.update()).status)
                }
                return statuses
            }
            let halves = try await statuses(#"{"match":{"share":0.5},"reason":"TooManyRequests"}"#, 8)
            #expect(halves == [200, 429, 200, 429, 200, 429, 200, 429])
            #expect(try await apns.control("DELETE", "/faults").status == 204)
            #expect(try await statuses(#"{"match":{"afterMs":60000,"forMs":1},"status":500}"#, 2) == [200, 200])
            #expect(try await apns.control("DELETE", "/faults").status == 204)
            let storm = try await statuses(#"{"match":{"forMs":3000},"reason":"ServiceUnavailable"}"#, 3)
            #expect(storm == [503, 503, 503])
            try await Task.sleep(for: .seconds(3))
            #expect(try await push(apns, connection, body: try APNsSimulatorTests.update()) == .accepted)
            #expect(try await apns.control("GET", "/faults").body == "[]")
        }
    }

    @Test func whatOnePushHasWrongIsNotHeldAgainstTheNext() async throws {
        try await SimulatorUnderTest.run { apns async throws in
            try await apns.register(Self.token)
            let connection = try await apns.connect()
            let body = try APNsSimulatorTests.update()
            let id = "0d5A1f3c-2b64-4f6e-9c1d-0123456789ab"
            let cases: [([String: String?], APNsReason?)] = [
                (["apns-id": "7"], .badMessageID), (["apns-id": id + "c"], .badMessageID),
                (["apns-id": String(repeating: "-", count: 36)], .badMessageID),
                (["apns-collapse-id": String(repeating: "c", count: 65)], .badCollapseID), (["apns-id": id], nil),
                (["apns-collapse-id": String(repeating: "c", count: 64)], nil), (["apns-priority": "7"], .badPriority),
                (["apns-priority": "10"], nil), ([:], nil),
            ]
            for (changes, reason) in cases {
                let answer = try await push(apns, connection, changes, body: body)
                #expect(answer == reason.map { APNsAnswer($0) } ?? .accepted, "\(changes)")
            }
            let upper = "/3/device/\(Self.token.uppercased())"
            #expect(try await push(apns, connection, path: upper, body: body) == .accepted)
            let lines = try await apns.deliveries()
            for (line, (changes, _)) in zip(lines, cases) {
                for (name, value) in changes { #expect(line.headers[name] == value) }
            }
            #expect(lines.last?.headers[":path"] == upper)
            #expect(lines.last?.token == Self.token)
        }
    }
}
