import FoundationEssentials
import OperatorTool
import SightscreenModels
import Testing

/// The phones of these tests are as strict as ActivityKit.
@Suite struct SimulatedPhoneTests {
    static let state = """
        {"schema":1,"version":1,"matchDisplayState":"live","matchSentiment":"neutral",
         "compactLeading":{"teamAbbr":"RR","score":"1/0"},"compactTrailing":{"overs":"0.1","runRate":"6.00"},
         "expanded":{"title":"RR v KKR","subtitle":"IPL","innings":[],"batters":[],"recentBalls":[]}}
        """
    static let attributes = #""attributes-type":"LiveActivityAttributes","attributes":{"matchId":"7","startId":"s1"}"#

    private func delivery(_ token: String, _ aps: String) throws -> PushDelivery {
        let line = """
            {"seq":1,"receivedAt":0,"token":"\(token)","headers":{"apns-priority":"10"},"verdict":{"status":200},
             "payload":{"aps":{\(aps),"content-state":\(Self.state)}}}
            """
        return try JSONDecoder().decode(PushDelivery.self, from: Data(line.utf8))
    }

    private func startedPhone() throws -> SimulatedPhone {
        var phone = SimulatedPhone(
            user: "asha", device: DeviceID("a"), startToken: PushToStartToken("aa"), deviceToken: DeviceToken("dd"))
        let start = try delivery(
            "aa", #""timestamp":100,"event":"start","alert":{"title":"t","body":"b"},"# + Self.attributes)
        let effect = phone.receive(start, newActivityID: ActivityID("x"))
        #expect(effect == .started(activity: 0))
        phone.setUpdateToken(UpdateToken("bb"), of: 0)
        return phone
    }

    @Test func dropsAnUpdateThatIsNotLater() throws {
        var phone = try startedPhone()
        let shown = phone.receive(
            try delivery("bb", #""timestamp":101,"event":"update""#), newActivityID: ActivityID("y"))
        #expect(shown == .shown(activity: 0))
        for old in [101, 100] {
            let effect = phone.receive(
                try delivery("bb", #""timestamp":\#(old),"event":"update""#), newActivityID: ActivityID("y"))
            #expect(effect == .dropped("timestamp \(old) is not later"))
        }
        #expect(phone.activities[0].shown == [100, 101])
    }

    @Test func showsNothingAfterTheEnd() throws {
        var phone = try startedPhone()
        let end = try delivery("bb", #""timestamp":102,"event":"end","dismissal-date":1002"#)
        let ended = phone.receive(end, newActivityID: ActivityID("y"))
        #expect(ended == .ended(activity: 0))
        #expect(phone.activities[0].dismissalDate == 1_002)
        let late = try delivery("bb", #""timestamp":103,"event":"update""#)
        let dropped = phone.receive(late, newActivityID: ActivityID("y"))
        #expect(dropped == .dropped("update after the end"))
    }

    @Test func startsNothingWithoutAlertOrWithForeignAttributes() throws {
        var phone = SimulatedPhone(
            user: "asha", device: DeviceID("a"), startToken: PushToStartToken("aa"), deviceToken: DeviceToken("dd"))
        let silent = try delivery("aa", #""timestamp":100,"event":"start","# + Self.attributes)
        let first = phone.receive(silent, newActivityID: ActivityID("x"))
        #expect(first == .dropped("a start without alert"))
        let foreign = try delivery(
            "aa", #""timestamp":100,"event":"start","alert":{"title":"t","body":"b"},"attributes-type":"Other""#)
        let second = phone.receive(foreign, newActivityID: ActivityID("x"))
        #expect(second == .dropped("attributes-type is not that of the app"))
        #expect(phone.activities.isEmpty)
    }
}
