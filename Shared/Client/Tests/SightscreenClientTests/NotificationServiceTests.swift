import SightscreenClient
import SightscreenClientTesting
import SightscreenModels
import TestSupport
import Testing

/// The rows of "NotificationService" and "Dual tokens".
@MainActor
@Suite struct NotificationServiceTests {
    private static let devices = "POST /devices"
    private static let startTokens = "POST /devices/push-to-start-token"
    private static let unregister = "DELETE /devices/\(Sample.profile.deviceID)"

    /// A system that would ask again and again: nothing but the service keeps it from that.
    private actor PushySystem: NotificationPort {
        private var status: NotificationPermission
        private let answer: NotificationPermission
        private(set) var prompts = 0

        init(_ status: NotificationPermission = .notDetermined, answer: NotificationPermission = .authorized) {
            self.status = status
            self.answer = answer
        }

        func set(_ status: NotificationPermission) { self.status = status }
        func permission() -> NotificationPermission { status }
        func registerForRemoteNotifications() {}
        func unregisterForRemoteNotifications() {}

        func requestPermission() -> NotificationPermission {
            prompts += 1
            status = answer
            return answer
        }
    }

    /// requestPermission() · Prompts the user for notification permission.
    @Test func requestPermissionPromptsOnce() async throws {
        let port = PushySystem()
        let service = RealNotificationService(port: port, phone: FakeLiveActivityService())
        await service.start()
        #expect(service.permission == .notDetermined)
        #expect(await port.prompts == 0)
        #expect(await service.requestPermission() == .authorized)
        #expect(await service.requestPermission() == .authorized)
        #expect(service.permission.shows)
        #expect(await port.prompts == 1)
        // The user thinks better of it in the system's settings.
        await port.set(.denied)
        await service.start()
        #expect(service.permission == .denied)
        #expect(await service.requestPermission() == .denied)
        #expect(await port.prompts == 1)
        // What is decided is known without a start, too.
        await port.set(.authorized)
        #expect(await service.requestPermission() == .authorized)
        #expect(service.permission == .authorized)
        #expect(await port.prompts == 1)
    }

    /// He who gets them quietly was never asked.
    @Test func whoGetsThemQuietlyIsAsked() async {
        let port = PushySystem(.provisional)
        let service = RealNotificationService(port: port, phone: FakeLiveActivityService())
        #expect(await service.requestPermission() == .authorized)
        #expect(await port.prompts == 1)
    }

    /// registerDevice(token:) · Sends the APNs device token to the backend.
    @Test func registerDeviceSendsTheTokenWithTheOneRegistration() async throws {
        let phone = try await Phone()
        let service = RealNotificationService(port: FakeNotificationPort(), phone: phone.app)
        try await phone.launch()
        let token = await phone.kit.deviceToken
        await service.registerDevice(token: token)
        try await phone.until("the backend has it") {
            await phone.gateway.devices[Sample.profile.deviceID]?.deviceToken == token
        }
        let sent = await phone.gateway.successes(Self.devices)
        // Without the token, which had not come, and with it; nothing twice.
        #expect(sent.map { $0.body?["deviceToken"]?.text } == [nil, token.rawValue])
        await service.registerDevice(token: token)
        try await phone.app.syncFollows()
        #expect(await phone.gateway.calls(Self.devices).count == 2)
        await phone.end()
    }

    /// unregisterDevice() · Tells the backend to stop sending pushes to this device.
    @Test func unregisterDeviceStopsPushes() async throws {
        let phone = try await Phone()
        let port = FakeNotificationPort()
        let service = RealNotificationService(port: port, phone: phone.app)
        try await phone.launch()
        await service.start()
        await service.unregisterDevice()
        #expect(await phone.gateway.devices.isEmpty)
        #expect(await phone.gateway.startTokens.isEmpty)
        #expect(await phone.gateway.successes(Self.unregister).count == 1)
        #expect(await !port.isRegistered)
        // Nothing registers it again, and the sign-out that follows asks no second time.
        await phone.kit.rotateAppTokens()
        await service.registerDevice(token: DeviceToken("ab"))
        phone.clock.advance(seconds: 120)
        await phone.app.enterForeground()
        await phone.app.signOut()
        #expect(await phone.gateway.devices.isEmpty)
        #expect(await phone.gateway.calls(Self.unregister).count == 1)
        await phone.end()
    }

    /// What is under way would register it again: it ends before the backend is told.
    @Test func nothingIsRegisteredWhileThePhoneIsTakenBack() async throws {
        let tokens = FakeLiveActivityTokenManager()
        let gateway = try ScriptedGateway()
        await gateway.accept("good", as: Sample.user)
        let session = FakeSession(user: Sample.user, token: "good")
        let phone = RealLiveActivityService(
            tokens: tokens, lifecycle: FakeLiveActivityLifecycleManager(), follows: FakeFollowManager(),
            api: SightscreenAPI(transport: gateway, session: session, clock: StoppedClock()), session: session,
            clock: StoppedClock(), profile: Sample.profile)
        await phone.start()
        #expect(await tokens.isStarted)
        await gateway.trouble("/devices/\(Sample.profile.deviceID)", .held)
        async let unregistered: Void = phone.unregisterPhone()
        try await eventually("the backend is asked") { await gateway.heldCount == 1 }
        #expect(await !tokens.isStarted)
        await gateway.release()
        await unregistered
        await phone.stop()
    }

    /// The backend is not reached: APNs will tell it that the token is dead.
    @Test func unregisterDeviceWithoutANetworkTakesTheSystemsToken() async throws {
        let phone = try await Phone()
        let port = FakeNotificationPort()
        let service = RealNotificationService(port: port, phone: phone.app)
        try await phone.launch()
        await service.start()
        await phone.gateway.setOffline(true)
        await service.unregisterDevice()
        #expect(await !port.isRegistered)
        await phone.end()
    }

    /// Dual tokens · Device token: registered on launch and whenever it rotates.
    @Test func theDeviceTokenIsRegisteredAtLaunchAndWhenItRotates() async throws {
        let phone = try await Phone()
        let port = FakeNotificationPort(.denied)
        let service = RealNotificationService(port: port, phone: phone.app)
        // It may come before anybody is signed in, and needs no permission.
        await service.start()
        #expect(await port.isRegistered)
        let first = await phone.kit.deviceToken
        await service.registerDevice(token: first)
        try await phone.launch()
        try await phone.until("the first is there") {
            await phone.gateway.devices[Sample.profile.deviceID]?.deviceToken == first
        }
        #expect(await phone.gateway.successes(Self.devices).count == 1)
        await phone.kit.rotateAppTokens()
        let second = await phone.kit.deviceToken
        await service.registerDevice(token: second)
        try await phone.until("the second is there") {
            await phone.gateway.devices[Sample.profile.deviceID]?.deviceToken == second
        }
        #expect(first != second)
        await phone.end()
    }

    /// Dual tokens · Push-to-start token: managed by TokenManager, registered at launch and whenever it rotates, in the
    /// one registration with the device token; what takes the phone back takes both.
    @Test func thePushToStartTokenIsRegisteredAtLaunchAndWhenItRotates() async throws {
        let phone = try await Phone()
        let service = RealNotificationService(port: FakeNotificationPort(), phone: phone.app)
        try await phone.launch()
        await service.start()
        await service.registerDevice(token: phone.kit.deviceToken)
        let first = await phone.kit.startToken
        try await phone.until("both are there") { await Self.knowsBothTokens(phone) }
        await phone.kit.rotateAppTokens()
        await service.registerDevice(token: phone.kit.deviceToken)
        let second = await phone.kit.startToken
        #expect(first != second)
        try await phone.until("the second ones are there") { await Self.knowsBothTokens(phone) }
        let sent = await phone.gateway.calls(Self.startTokens).compactMap { $0.body?["pushToStartToken"]?.text }
        #expect(sent == [first.rawValue, second.rawValue])
        await service.unregisterDevice()
        #expect(await phone.gateway.startTokens.isEmpty)
        #expect(await phone.gateway.devices.isEmpty)
        // Signed in again, with the launch of both services.
        await phone.app.stop()
        try await phone.launch()
        await service.start()
        await service.registerDevice(token: phone.kit.deviceToken)
        try await phone.until("both are there again") { await Self.knowsBothTokens(phone) }
        await phone.end()
    }

    /// Each as the phone has it now.
    private static func knowsBothTokens(_ phone: Phone) async -> Bool {
        let (start, device) = await (phone.kit.startToken, phone.kit.deviceToken)
        let (starts, devices) = await (phone.gateway.startTokens, phone.gateway.devices)
        let id = Sample.profile.deviceID
        return starts[id] == start && devices[id]?.deviceToken == device
    }

    /// Signed in again: both tokens are registered anew.
    @Test func theNextSignInRegistersAgain() async throws {
        let phone = try await Phone()
        let port = FakeNotificationPort()
        let service = RealNotificationService(port: port, phone: phone.app)
        try await phone.launch()
        await service.start()
        await phone.app.signOut()
        await service.unregisterDevice()
        try await phone.launch()
        await service.start()
        await service.registerDevice(token: phone.kit.deviceToken)
        #expect(await port.isRegistered)
        let token = await phone.kit.deviceToken
        try await phone.until("it is there") {
            await phone.gateway.devices[Sample.profile.deviceID]?.deviceToken == token
        }
        await phone.end()
    }
}
