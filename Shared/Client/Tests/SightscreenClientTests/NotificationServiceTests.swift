import SightscreenClient
import SightscreenClientTesting
import SightscreenModels
import TestSupport
import Testing

/// The permission, the device token and the push-to-start token.
@MainActor
@Suite struct NotificationServiceTests {
    private static let devices = "POST /devices"
    private static let startTokens = "POST /devices/push-to-start-token"
    private static let unregister = "DELETE /devices/\(Sample.device)"

    /// A system that would prompt again and again, so that only the service prevents it.
    private actor EagerNotificationPort: NotificationPort {
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

    @Test func requestPermissionPromptsOnce() async throws {
        let port = EagerNotificationPort()
        let service = RealNotificationService(port: port, phone: FakeLiveActivityService())
        await service.start()
        #expect(service.permission == .notDetermined)
        #expect(await port.prompts == 0)
        #expect(await service.requestPermission() == .authorized)
        #expect(await service.requestPermission() == .authorized)
        #expect(service.permission.shows)
        #expect(await port.prompts == 1)
        // The user changes the decision in the system's settings.
        await port.set(.denied)
        await service.start()
        #expect(service.permission == .denied)
        #expect(await service.requestPermission() == .denied)
        #expect(await port.prompts == 1)
        // The decision is also known without a start.
        await port.set(.authorized)
        #expect(await service.requestPermission() == .authorized)
        #expect(service.permission == .authorized)
        #expect(await port.prompts == 1)
    }

    /// A user with provisional permission was never asked.
    @Test func whoGetsThemQuietlyIsAsked() async {
        let port = EagerNotificationPort(.provisional)
        let service = RealNotificationService(port: port, phone: FakeLiveActivityService())
        #expect(await service.requestPermission() == .authorized)
        #expect(await port.prompts == 1)
    }

    @Test func registerDeviceSendsTheTokenWithTheOneRegistration() async throws {
        let phone = try await Phone()
        let service = RealNotificationService(port: FakeNotificationPort(), phone: phone.app)
        try await phone.launch()
        let token = await phone.kit.deviceToken
        await service.registerDevice(token: token)
        try await phone.until("the backend has it") {
            await phone.gateway.devices[Sample.device]?.deviceToken == token
        }
        let sent = await phone.gateway.successes(Self.devices)
        // The first registration has no token, which had not come; the second has it. Nothing is sent twice.
        #expect(sent.map { $0.body?["deviceToken"]?.text } == [nil, token.rawValue])
        await service.registerDevice(token: token)
        try await phone.app.syncFollows()
        #expect(await phone.gateway.calls(Self.devices).count == 2)
        await phone.end()
    }

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
        // Nothing registers the phone again, and the sign-out that follows does not unregister it a second time.
        await phone.kit.rotateAppTokens()
        await service.registerDevice(token: DeviceToken("ab"))
        phone.clock.advance(seconds: 120)
        await phone.app.enterForeground()
        await phone.app.signOut()
        #expect(await phone.gateway.devices.isEmpty)
        #expect(await phone.gateway.calls(Self.unregister).count == 1)
        await phone.end()
    }

    /// A registration under way would register the phone again, so it ends before the backend is called.
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
        await gateway.trouble("/devices/\(Sample.device)", .held)
        async let unregistered: Void = phone.unregisterPhone()
        try await eventually("the backend is asked") { await gateway.heldCount == 1 }
        #expect(await !tokens.isStarted)
        await gateway.release()
        await unregistered
        await phone.stop()
    }

    /// The backend is not reached, and APNs will tell it that the token is dead.
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

    @Test func theDeviceTokenIsRegisteredAtLaunchAndWhenItRotates() async throws {
        let phone = try await Phone()
        let port = FakeNotificationPort(.denied)
        let service = RealNotificationService(port: port, phone: phone.app)
        // The token may come before a sign-in, and needs no permission.
        await service.start()
        #expect(await port.isRegistered)
        let first = await phone.kit.deviceToken
        await service.registerDevice(token: first)
        try await phone.launch()
        try await phone.until("the first is there") {
            await phone.gateway.devices[Sample.device]?.deviceToken == first
        }
        #expect(await phone.gateway.successes(Self.devices).count == 1)
        await phone.kit.rotateAppTokens()
        let second = await phone.kit.deviceToken
        await service.registerDevice(token: second)
        try await phone.until("the second is there") {
            await phone.gateway.devices[Sample.device]?.deviceToken == second
        }
        #expect(first != second)
        await phone.end()
    }

    /// The push-to-start token is registered with the device token, in one registration, and both are unregistered
    /// together.
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
        // The user signs in again, with the start of both services.
        await phone.app.stop()
        try await phone.launch()
        await service.start()
        await service.registerDevice(token: phone.kit.deviceToken)
        try await phone.until("both are there again") { await Self.knowsBothTokens(phone) }
        await phone.end()
    }

    /// Whether the gateway has both tokens as the phone has them now.
    private static func knowsBothTokens(_ phone: Phone) async -> Bool {
        let (start, device) = await (phone.kit.startToken, phone.kit.deviceToken)
        let (starts, devices) = await (phone.gateway.startTokens, phone.gateway.devices)
        let id = Sample.device
        return starts[id] == start && devices[id]?.deviceToken == device
    }

    /// After another sign-in both tokens are registered again.
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
            await phone.gateway.devices[Sample.device]?.deviceToken == token
        }
        await phone.end()
    }
}
