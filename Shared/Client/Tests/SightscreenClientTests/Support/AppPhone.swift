@testable import SightscreenClientTesting
import SightscreenModels
import TestSupport

@testable import SightscreenClient

/// One phone with the app of the page "Add Sightscreen to your app", over servers in memory. The app can be closed and
/// launched; phone, disk and servers stay.
@MainActor
final class AppPhone {
    static let email = "asha@example.com"
    static let password = "Corr3ct-horse!"
    /// Another user of the same phone.
    static let otherEmail = "bob@example.com"
    static let otherUser = UserID("bob")
    static let match = Sample.match()

    let clock = SimulatedClock(now: Sample.now)
    let kit: SimulatedActivityKit
    let gateway: ScriptedGateway
    let configGateway: ConfigGateway
    let schedule: ScheduleGateway
    let cognito = ScriptedCognito()
    let images = ImageServer()
    let keychain = InMemoryKeychain()
    let store = InMemoryKeyValueStore()
    let notificationPort = FakeNotificationPort()
    let matchFiles = InMemoryFileStore()
    private(set) var ports: AppPorts
    private(set) var app: AppServices

    init() async throws {
        kit = SimulatedActivityKit(clock: clock, seed: 1, limits: PhoneLimits())
        gateway = try ScriptedGateway()
        schedule = try ScheduleGateway()
        configGateway = ConfigGateway(Self.config(), before: gateway)
        ports = AppPorts(
            gateway: WholeGateway(schedule: schedule, rest: configGateway),
            web: WholeWeb(cognito: cognito, images: images),
            activityKit: kit, background: kit, notifications: notificationPort, keychain: keychain,
            sessionStore: store, store: store, matchFiles: matchFiles, imageFiles: InMemoryFileStore(),
            thumbnail: { $0 }, clock: clock,
            profile: Sample.profile,
            cognito: CognitoSettings(clientID: ScriptedCognito.clientID, endpoint: ScriptedCognito.endpoint))
        app = AppServices(ports)
        await gateway.play(Self.match)
        await cognito.add(Self.email, .init(sub: Sample.user.rawValue, password: Self.password))
        await cognito.add(Self.otherEmail, .init(sub: Self.otherUser.rawValue, password: Self.password))
        // The gateways in memory must know a token before the app uses it.
        await cognito.tell { [gateway, schedule] token in
            guard let user = TokenClaims(token: token)?.sub else { return }
            await gateway.accept(token, as: user)
            await schedule.accept(token)
        }
        await kit.switchOn()
    }

    var state: AppState { app.bootstrap.state }

    func signIn(_ email: String = AppPhone.email) async throws {
        try await app.auth.signIn(email: email, password: Self.password)
    }

    static func config(_ minimum: String = "1.0.0", maintenance: Bool = false) -> AppConfig {
        AppConfig(
            minAppVersion: minimum, storeUrl: "https://apps.apple.com/app/id1", maintenanceMode: maintenance,
            maintenanceMessage: maintenance ? "Back at 10." : nil)
    }

    /// Ends the app's process and begins another.
    ///
    /// - Parameter version: the version of the next app, after an update.
    func relaunch(version: String? = nil) async {
        await app.matches.flush()
        await app.bootstrap.stop()
        await kit.killApp()
        if let version { ports.profile.appVersion = version }
        app = AppServices(ports)
        await kit.setForeground(true)
    }

    func setOffline(_ offline: Bool) async {
        await configGateway.fail(offline ? .transport(.offline) : nil)
        await gateway.setOffline(offline)
        await schedule.setOffline(offline)
        await cognito.setOffline(offline)
        await images.setOffline(offline)
    }

    /// Waits until a condition holds, while the phone's time goes on.
    func until(_ what: String, _ condition: () async throws -> Bool) async throws {
        try await eventually(what) {
            if try await condition() { return true }
            clock.advance(by: .milliseconds(500))
            return false
        }
    }

    func end() async {
        await app.bootstrap.stop()
        await kit.switchOff()
    }
}

/// A gateway with lists of matches from one stand-in and the rest from others.
private struct WholeGateway: APITransport {
    let schedule: ScheduleGateway
    let rest: ConfigGateway

    func send(_ request: APIRequest) async throws(TransportError) -> APIResponse {
        let isList = request.path.hasPrefix("/matches?") || request.path == "/matches/live"
        if isList { return try await schedule.send(request) }
        return try await rest.send(request)
    }
}

/// Cognito and a server of images.
private struct WholeWeb: WebTransport {
    let cognito: ScriptedCognito
    let images: ImageServer

    func send(_ request: WebRequest) async throws(TransportError) -> APIResponse {
        if request.url.hasPrefix(ScriptedCognito.endpoint) { return try await cognito.send(request) }
        return try await images.send(request)
    }
}
