import FoundationEssentials
import HTTPClient
import Logging
import PretendPhones
import SightscreenClient
import SightscreenClientTesting
import SightscreenModels
import Testing

@testable import DeviceLab

/// What the lab's iPhones are made of, beside the app's own code.
@Suite struct PhoneTests {
    private static func line(status: Int = 200, payload: String) -> [UInt8] {
        let head =
            #"{"connection":1,"deviceVerdict":"shown","environment":"production","headers":{"apns-collapse-id":"a\",\"payload\":\"b","#
            + #""apns-push-type":"liveactivity"},"receivedAt":5,"seq":7,"token":"AB12","verdict":{"status":\#(status)}"#
        return Array((head + #","payload":\#(payload)}"#).utf8)
    }

    // MARK: - What apns-simulator writes down

    @Test func aPushIsCutOutOfItsLineAsItWasSent() throws {
        // Spaces and the order of keys are the sender's.
        let payload = #"{ "aps" : {"payload":1, "x":{"payload":2},"event":"update" } }"#
        let delivery = try DeliveryLine(Self.line(payload: payload))
        #expect(delivery.seq == 7)
        let push = try #require(delivery.push)
        #expect(String(decoding: push.body, as: UTF8.self) == payload)
        #expect(push.token == "ab12")
        #expect(push.headers["apns-collapse-id"] == #"a","payload":"b"#)
    }

    @Test(arguments: [400, 410, 429, 500, 0]) func whatAPNsRefusedNeverArrives(status: Int) throws {
        let delivery = try DeliveryLine(Self.line(status: status, payload: "{}"))
        #expect(delivery.seq == 7 && delivery.push == nil)
    }

    @Test(arguments: [
        (#""token":"""#, true), (#""token":"ab""#, false),
        (#""token":"","deviceVerdict":"droppedOldTimestamp""#, false),
    ])
    func aPublishIsOfferedToEveryPhoneOnceUnlessAPNsDropsIt(line: String, arrives: Bool) throws {
        let text = #"{"channel":"YQ==","headers":{"apns-priority":"5"},"seq":3,\#(line),"verdict":{"status":200}"#
        let delivery = try DeliveryLine(Array((text + #","payload":{"aps":{}}}"#).utf8))
        #expect(delivery.seq == 3 && delivery.push == nil)
        let publish = BroadcastPush(
            channel: ChannelID("YQ=="), headers: ["apns-priority": "5"], body: Array(#"{"aps":{}}"#.utf8))
        #expect(delivery.broadcast == (arrives ? publish : nil))
    }

    // MARK: - What is published

    private static let channel = ChannelID("YQ==")

    /// A phone whose card listens to `channel`. It is not switched on, so it calls no server.
    private static func listener() async throws -> SimulatedIPhone {
        let http = HTTPClient(configuration: .init(allowHTTP: true))
        let issuer = LabIssuer(base: "http://127.0.0.1:1", http: http)
        let phone = SimulatedIPhone(
            number: 1,
            shared: .init(
                gateway: "http://127.0.0.1:1", issuer: issuer, http: http,
                apple: SimulatedAPNs(base: "http://127.0.0.1:1", http: http, logger: Logger(label: "test")),
                matches: LabGateway(base: "http://127.0.0.1:1", issuer: issuer, http: http), run: 1))
        let attributes = LiveActivityAttributes(
            matchID: MatchID(7), startID: StartID("s"), home: Team(id: 6, name: "Mumbai Indians", code: "MI"),
            away: Team(id: 2, name: "Chennai Super Kings", code: "CSK"), competition: "IPL", startsAt: 0)
        _ = try await phone.kit.request(
            attributes, ShownContent(state: .pretend(version: 1)), pushType: .channel(channel), schedule: nil)
        return phone
    }

    /// - Parameter version: also the seconds by which the stamp is after the start's.
    private static func publish(_ version: Int, to phone: SimulatedIPhone) async throws {
        let state = String(decoding: try JSONEncoder().encode(ContentState.pretend(version: version)), as: UTF8.self)
        let stamp = Int(SimulatedIPhone.Shared.nowMs / 1_000) + version
        let body = #"{"aps":{"timestamp":\#(stamp),"event":"update","content-state":\#(state)}}"#
        await phone.take(
            .broadcast(
                BroadcastPush(
                    channel: channel, headers: ["apns-push-type": "liveactivity"], body: Array(body.utf8))))
    }

    @Test func aPhoneWithoutANetworkMissesWhatIsPublishedAndIsRightAfterTheNext() async throws {
        let phone = try await Self.listener()
        func version() async -> Int? { await phone.kit.activities.first?.content.state.version }
        try await Self.publish(2, to: phone)
        #expect(await version() == 2)
        try await phone.perform(LabAction(.offline))
        try await Self.publish(3, to: phone)
        #expect(await version() == 2)
        // APNs has kept nothing for it.
        try await phone.perform(LabAction(.online))
        #expect(await version() == 2)
        let counts = await phone.counts
        #expect(counts.received == 2 && counts.dropped == 1)
        try await Self.publish(4, to: phone)
        #expect(await version() == 4)
    }

    @Test func aCardOfAnAppThatDoesNotRunGoesOn() async throws {
        let phone = try await Self.listener()
        await phone.kit.killApp(forceQuit: true)
        try await Self.publish(2, to: phone)
        #expect(await phone.kit.activities.first?.content.state.version == 2)
        #expect(await phone.state.app == .killed)
    }

    @Test func whatIsNoPushNeverArrives() throws {
        let text = #"{"headers":{},"payloadText":"x","seq":9,"token":"ab","verdict":{"status":200}}"#
        let delivery = try DeliveryLine(Array(text.utf8))
        #expect(delivery.seq == 9 && delivery.push == nil)
        #expect(throws: DecodingError.self) { try DeliveryLine(Array("{}".utf8)) }
    }

    // MARK: - Whose they are

    @Test func everyTenthPhoneIsTheSecondOfAUser() {
        let owners = (0..<200).map { PhoneOwner(number: $0) }
        #expect(owners[9].user == owners[8].user && owners[9].phoneName != owners[8].phoneName)
        #expect(Set(owners.map(\.user)).count == 180)
        #expect(Set(owners.map(\.phoneName)).count == 200)
        #expect(owners.allSatisfy { PhoneOwner.isName($0.user) && PhoneOwner.isName($0.guest(after: $0.user)) })
    }

    @Test func aGuestTakesThePhoneAndGivesItBack() {
        let owner = PhoneOwner(number: 0)
        let guest = owner.guest(after: owner.user)
        #expect(guest != owner.user)
        #expect(owner.guest(after: guest) == owner.user)
    }

    @Test(arguments: ["", "a b", "a/b", "ä", String(repeating: "a", count: 65)])
    func whatIsNoNameCannotSignIn(name: String) {
        #expect(!PhoneOwner.isName(name))
    }

    // MARK: - Time that passes faster

    @Test func anHoursBudgetGrowsWithTheSpeed() {
        let (real, fast) = (PhoneLimits(), PhoneLimits(speed: 40))
        #expect(fast.immediateUpdatesPerHour == 40 * real.immediateUpdatesPerHour)
        #expect(fast.startsSeconds == real.startsSeconds / 40 && fast.starts == real.starts)
        #expect(fast.payloadBytesMax == real.payloadBytesMax)
        #expect(PhoneLimits(speed: 1) == real)
    }

    @Test(arguments: [("1304076", true), ("made-up_1.json", true), ("../secrets", false), ("a/b", false), ("", false)])
    func aTapeIsNamedByLettersOfAFile(name: String, isTape: Bool) {
        #expect(TapeCommand.isTape(name) == isTape)
    }
}
