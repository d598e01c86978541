import FoundationEssentials
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
        #expect(fast.startsPerHour == 40 * real.startsPerHour)
        #expect(fast.payloadBytesMax == real.payloadBytesMax)
        #expect(PhoneLimits(speed: 1) == real)
    }

    @Test(arguments: [("1304076", true), ("made-up_1.json", true), ("../secrets", false), ("a/b", false), ("", false)])
    func aTapeIsNamedByLettersOfAFile(name: String, isTape: Bool) {
        #expect(TapeCommand.isTape(name) == isTape)
    }
}
