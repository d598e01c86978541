import APNsProtocol
import Activities
import SightscreenModels
import Testing

struct APNsHeadersTests {
    private static let route = DeviceRoute(user: UserID("u"), device: DeviceID("d"))
    private static let match = MatchID(1_304_076)

    @Test func aStartExpiresBeforeItsLeaseAndCollapsesPerMatchAndDevice() {
        let headers = APNsHeaders.start(bundleID: "app", leaseUntil: 1_000, match: Self.match, route: Self.route)
        #expect(headers.expiration == 990)
        #expect(headers.priority == .immediate)
        #expect(headers.topic?.text == "app.push-type.liveactivity")
        #expect(headers.pushType == .liveactivity)
        #expect(headers.collapseID == APNsHeaders.startCollapseID(match: Self.match, route: Self.route))
        #expect(headers.collapseID != APNsHeaders.startCollapseID(match: MatchID(7), route: Self.route))
    }

    @Test func aCollapseIdAlwaysFits() {
        let id = APNsHeaders.startCollapseID(match: MatchID(.max), route: DeviceRoute(hash: .max))
        #expect(id.utf8.count <= 64)
    }

    @Test(arguments: [
        (APNsHeaders.UpdateKind.routine(at: 100), 1_000),
        (.beforeBreak(at: 100), 7_300),
        (.alert(eventAt: 100), 160),
    ])
    func anUpdateExpiresByItsKind(kind: APNsHeaders.UpdateKind, expiration: Int) {
        let headers = APNsHeaders.update(bundleID: "app", priority: .routine, kind)
        #expect(headers.expiration == expiration)
        #expect(headers.collapseID == nil)
    }

    @Test func anEndIsWorthFourHoursAndGoesAtOnce() {
        let headers = APNsHeaders.end(bundleID: "app", at: 100)
        #expect(headers.expiration == 14_500)
        #expect(headers.priority == .immediate)
    }

    @Test func aSilentPushGoesToTheAppAtPriorityFiveAndIsWorthFourHoursOrItsNonce() {
        let headers = APNsHeaders.reconcile(bundleID: "app", at: 100)
        #expect(
            headers.fields.map { "\($0.name): \($0.value)" } == [
                "apns-topic: app", "apns-push-type: background", "apns-priority: 5", "apns-expiration: 14500",
            ])
        #expect(APNsHeaders.reconcile(bundleID: "app", at: 100, nonceUntil: 3_700).expiration == 3_700)
    }

    @Test func aVisiblePushGoesToTheAppAtOnce() {
        let headers = APNsHeaders.visible(bundleID: "app", at: 100, match: Self.match)
        #expect(headers.topic == .app(bundleID: "app"))
        #expect(headers.pushType == .alert)
        #expect(headers.priority == .immediate)
        #expect(headers.fields.last?.value == "match-1304076")
    }

    @Test func thePathHoldsTheWholeToken() {
        #expect(APNsHeaders.path(token: UpdateToken("AB01")) == "/3/device/ab01")
    }

    @Test(arguments: [
        ("api.push.apple.com", true), ("API.SANDBOX.PUSH.APPLE.COM", true), ("push.apple.com.evil.example", false),
        ("evilpush.apple.com", false), ("127.0.0.1", false),
    ])
    func onlyHostsBelowApplesAreApples(host: String, isApples: Bool) {
        #expect(APNsEnvironment.isApples(host: host) == isApples)
    }
}
