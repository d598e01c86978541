import APNsProtocol
import APNsSimulator
import FoundationEssentials
import HTTP2
import SightscreenModels
import TestKit
import Testing

/// What becomes of a publish that APNs accepts.
struct PublishTests {
    private static func end(_ stamp: Int = APNsSimulatorTests.now) throws -> [UInt8] {
        try LiveActivityPayload.end(
            stamp: Stamp(stamp), contentState: APNsSimulatorTests.state, dismissAt: stamp + 900
        ).encode().bytes
    }

    @Test func everyPhoneThatListensGetsIt() async throws {
        try await SimulatorUnderTest.run { apns async throws in
            let client = try await ChannelClient(apns)
            let channel = try await client.create()
            let now = APNsSimulatorTests.now
            #expect(try await client.subscribe("phone-1", to: channel) == 201)
            #expect(try await client.subscribe("Phone-2", to: channel, timestamp: now + 1) == 201)
            let answer = try await client.publish(try APNsSimulatorTests.update(now), to: channel)
            #expect(answer.status == 200)
            #expect(answer.body.isEmpty)
            let lines = try await apns.deliveries()
            #expect(lines.map(\.token) == ["", "phone-1", "phone-2"])
            #expect(lines.map(\.seq) == [1, 2, 3])
            #expect(lines.allSatisfy { $0.channel == channel && $0.verdict.status == 200 && $0.payload != nil })
            #expect(lines.map(\.deviceVerdict) == [nil, "handled", "droppedOldTimestamp"])
            #expect(lines.map(\.reached) == [2, nil, nil])
            #expect(lines.map(\.lost) == [0, nil, nil])
            let id = try #require(answer.headers["apns-request-id"])
            for line in lines {
                #expect(line.headers["apns-request-id"] == id)
                #expect(line.headers["apns-id"] == nil)
                #expect(line.headers["apns-push-type"] == "liveactivity")
                #expect(line.headers[":path"] == ChannelClient.publishes)
            }
            let left = try await apns.control(
                "DELETE", "/subscribers", #"{"channel":"\#(channel)","subscriber":"phone-1"}"#)
            #expect(left.status == 204)
            _ = try await client.publish(try Self.end(), to: channel, ["apns-priority": "10"])
            _ = try await client.publish(try APNsSimulatorTests.update(now + 5), to: channel)
            #expect(
                try await apns.deliveries("?token=PHONE-2").map(\.deviceVerdict) == [
                    "droppedOldTimestamp", "handled", "alreadyEnded",
                ])
            #expect(try await apns.control("GET", "/channels").body.contains(#""publishes":3,"subscribers":1"#))
            let counts = try await apns.control("GET", "/counts").body
            #expect(counts.contains(#"{"count":1,"outcome":"alreadyEnded"}"#))
            #expect(counts.contains(#""ended":1"#))
            #expect(counts.contains(#"{"call":"create","count":1,"environment":"production","status":201}"#))
        }
    }

    @Test func subscribersAreToldWhatIsWrong() async throws {
        try await SimulatorUnderTest.run { apns async throws in
            let client = try await ChannelClient(apns)
            let channel = try await client.create()
            #expect(try await client.subscribe("phone", to: "AAAA") == 404)
            #expect(try await ChannelClient(apns, .sandbox).subscribe("phone", to: channel) == 404)
            #expect(try await client.subscribe("", to: channel) == 400)
            #expect(try await client.subscribe(String(repeating: "p", count: 401), to: channel) == 400)
            let unknown = #"{"channel":"\#(channel)","subscriber":"phone"}"#
            #expect(try await apns.control("DELETE", "/subscribers", unknown).status == 404)
            #expect(try await apns.control("POST", "/subscribers", unknown).status == 400)
            let many = (1...3).map {
                #"{"channel":"\#(channel)","environment":"production","subscriber":"p\#($0)"}"#
            }.joined(separator: ",")
            #expect(try await apns.control("POST", "/subscribers", "[\(many)]").status == 201)
            #expect(try await apns.control("GET", "/channels").body.contains(#""subscribers":3"#))
        }
    }

    @Test func aFollowerIsShownWhatReachesItsPhone() async throws {
        try await SimulatorUnderTest.run { apns async throws in
            let client = try await ChannelClient(apns)
            let channel = try await client.create()
            for phone in ["one", "two"] { #expect(try await client.subscribe(phone, to: channel) == 201) }
            async let followed = apns.control("GET", "/deliveries?since=0&follow=1&token=two&limit=2")
            for second in 0...1 {
                _ = try await client.publish(
                    try APNsSimulatorTests.update(APNsSimulatorTests.now + second), to: channel)
            }
            #expect(try DeliveryLine.parse(try await followed.body).map(\.seq) == [3, 6])
        }
    }

    @Test func anUpdateOutOfTimeIsDroppedInSilenceAndAnEndIsNot() async throws {
        try await SimulatorUnderTest.run { apns async throws in
            let client = try await ChannelClient(apns)
            let channel = try await client.create()
            #expect(try await client.subscribe("phone", to: channel) == 201)
            let now = APNsSimulatorTests.now
            let cases: [([UInt8], String?)] = [
                (try APNsSimulatorTests.update(now - 60), "droppedOldTimestamp"),
                (try APNsSimulatorTests.update(now + 9 * 3_600), "droppedFarTimestamp"),
                (Array(#"{"aps":{"event":"update","content-state":{}}}"#.utf8), "notDecodable"),
                (try APNsSimulatorTests.update(now - 3), nil), (try Self.end(now - 60), nil),
            ]
            for (body, _) in cases { #expect(try await client.publish(body, to: channel).status == 200) }
            let lines = try await apns.deliveries()
            #expect(lines.filter { $0.token.isEmpty }.map(\.deviceVerdict) == cases.map(\.1))
            #expect(lines.filter { $0.token == "phone" }.map(\.deviceVerdict) == ["handled", "handled"])
        }
    }

    @Test func policyOneStoresTheNewestMessageForWhoComesLate() async throws {
        try await SimulatorUnderTest.run({ $0.lostShare = 1 }) { apns async throws in
            let client = try await ChannelClient(apns)
            let (plain, storing) = (try await client.create(policy: 0), try await client.create(policy: 1))
            let now = APNsSimulatorTests.now
            for channel in [plain, storing] { #expect(try await client.subscribe("early", to: channel) == 201) }
            for second in 0...1 {
                let body = try APNsSimulatorTests.update(now + second)
                #expect(try await client.publish(body, to: plain).status == 200)
                #expect(try await client.publish(body, to: storing, expiration: now + 900).status == 200)
            }
            // Not to be stored.
            #expect(try await client.publish(try APNsSimulatorTests.update(now + 2), to: storing).status == 200)
            for channel in [plain, storing] { #expect(try await client.subscribe("late", to: channel) == 201) }
            let lines = try await apns.deliveries().filter { !$0.token.isEmpty }
            #expect(lines.map(\.token) == ["early", "early", "late"])
            #expect(lines.allSatisfy { $0.channel == storing })
            #expect(lines.map { $0.payload?.aps.timestamp } == [now, now + 1, now + 1])
        }
    }

    @Test func aShareOfTheDeliveriesGetsLost() async throws {
        try await SimulatorUnderTest.run { apns async throws in
            let client = try await ChannelClient(apns)
            let channel = try await client.create()
            let phones = (0..<200).map {
                #"{"channel":"\#(channel)","environment":"production","subscriber":"p\#($0)"}"#
            }.joined(separator: ",")
            #expect(try await apns.control("POST", "/subscribers", "[\(phones)]").status == 201)
            let fault = #"{"match":{"call":"publish"},"lostShare":0.5}"#
            #expect(try await apns.control("POST", "/faults", fault).status == 201)
            for second in 0...1 {
                _ = try await client.publish(
                    try APNsSimulatorTests.update(APNsSimulatorTests.now + second), to: channel)
            }
            let publishes = try await apns.deliveries().filter { $0.token.isEmpty }
            #expect(publishes.map(\.fault) == ["lose", nil])
            let lost = try #require(publishes.first?.lost)
            // Beyond seven standard deviations of a fair coin.
            #expect((50...150).contains(lost))
            #expect(publishes.first?.reached == 200 - lost)
            #expect(publishes.last?.lost == 0)
            let counts = try await apns.control("GET", "/counts").body
            #expect(counts.contains(#"{"count":\#(lost),"outcome":"lost"}"#))
        }
    }

    @Test func aChannelHasAPublishBudget() async throws {
        try await SimulatorUnderTest.run({ ($0.publishesPerMinute, $0.retryAfterSeconds) = (2, 30) }) {
            apns async throws in
            let client = try await ChannelClient(apns)
            let (one, two) = (try await client.create(), try await client.create())
            let body = try APNsSimulatorTests.update()
            for channel in [one, two] {
                for status in [200, 200, 429] {
                    let answer = try await client.publish(body, to: channel)
                    #expect(answer.status == status)
                    #expect(answer.reason == (status == 429 ? "TooManyRequests" : nil))
                    #expect(answer.headers["retry-after"] == (status == 429 ? "30" : nil))
                }
            }
        }
    }

    @Test func anActivityBeginsOnlyOnAChannelThatExists() async throws {
        try await SimulatorUnderTest.run { apns async throws in
            try await apns.register("57a7", kind: "start")
            let client = try await ChannelClient(apns)
            let channel = try await client.create()
            let elsewhere = try await ChannelClient(apns, .sandbox).create()
            let start = try LiveActivityPayload.start(
                stamp: Stamp(APNsSimulatorTests.now), contentState: APNsSimulatorTests.state, staleAt: nil,
                relevance: nil, alert: PushAlert(title: "t", body: "b"), attributesType: "LiveActivityAttributes",
                attributes: LiveActivityAttributes(
                    matchID: MatchID(1), startID: StartID("s"), home: Team(id: 1, name: "A", code: "A"),
                    away: Team(id: 2, name: "B", code: "B"), competition: "C", startsAt: APNsSimulatorTests.now)
            ).encode().bytes
            let text = String(decoding: start, as: UTF8.self)
            let token = #""input-push-token":1"#
            #expect(text.contains(token))
            let cases: [(String, DeviceOutcome)] = [
                (token, .handled), (#""x":1"#, .handled), (#""input-push-channel":"\#(channel)""#, .handled),
                (#""input-push-channel":"\#(elsewhere)""#, .unknownChannel),
                (#""input-push-channel":"AAAA""#, .unknownChannel), (#""input-push-channel":7"#, .unknownChannel),
                (#"\#(token),"input-push-channel":"\#(channel)""#, .conflictingInput),
            ]
            for (input, _) in cases {
                let outcome = await client.pushes.submit(
                    path: "/3/device/57a7", headers: apns.headers(),
                    body: Array(text.replacing(token, with: input).utf8), timeout: .seconds(10))
                #expect(try APNsSimulatorTests.answer(outcome) == .accepted)
            }
            #expect(try await apns.deliveries().map(\.deviceVerdict) == cases.map(\.1.rawValue))
        }
    }
}
