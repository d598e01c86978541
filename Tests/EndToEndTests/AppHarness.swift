import FoundationEssentials
import HTTPClient
import Postgres
import SightscreenClient
import SightscreenClientTesting
import SightscreenModels

/// A gateway and moto's Cognito that somebody else has started (Tests/GatewayScenarios/app.py), as its environment tells.
struct AppHarness: Sendable {
    let gateway: String
    let cognito: String
    let clientID: String
    let password: String
    let apiKey: String
    let match: MatchID
    let databaseURL: String

    /// Nil without one.
    static let current: AppHarness? = {
        let environment = ProcessInfo.processInfo.environment
        guard let gateway = environment["LAB_URL"], let cognito = environment["LAB_COGNITO_URL"],
            let clientID = environment["LAB_COGNITO_CLIENT"], let password = environment["LAB_PASSWORD"],
            let apiKey = environment["LAB_API_KEY"], let databaseURL = environment["LAB_DATABASE_URL"],
            let match = environment["LAB_MATCH_LIVE"].flatMap({ MatchID($0) })
        else { return nil }
        return AppHarness(
            gateway: gateway, cognito: cognito, clientID: clientID, password: password, apiKey: apiKey, match: match,
            databaseURL: databaseURL)
    }()

    struct NoHarness: Error {}

    struct Refused: Error { var status: Int }

    static func required() throws -> AppHarness {
        guard let current else { throw NoHarness() }
        return current
    }

    /// What an administrator sets of the app's config, and what every call of it tells from then on.
    func setConfig(_ json: String) async throws {
        let answer = try await HTTPClient(configuration: .init(allowHTTP: true)).send(
            HTTPClientRequest(
                method: "PATCH", url: "\(gateway)/admin/config",
                headers: [("x-api-key", apiKey), ("content-type", "application/json")], body: Array(json.utf8)))
        guard answer.status == 200 else { throw Refused(status: answer.status) }
    }

    func status(_ method: String, _ path: String, bearer: String?) async throws -> Int {
        try await HTTPClient(configuration: .init(allowHTTP: true)).send(
            HTTPClientRequest(
                method: method, url: gateway + path,
                headers: bearer.map { [("authorization", "Bearer \($0)")] } ?? [])
        ).status
    }
}

/// One phone with the app on it. The app can be killed and launched; Keychain, UserDefaults and phone stay.
@MainActor
final class HarnessApp {
    let harness: AppHarness
    let kit: SimulatedActivityKit
    let web = CurlTransport()
    let keychain = InMemoryKeychain()
    let store = InMemoryKeyValueStore()
    let notificationPort = FakeNotificationPort()
    let device: DeviceID
    private let clock = SystemClientClock()
    private var version = "1.0.0"
    private(set) var auth: CognitoAuthService
    private(set) var config: RealAppConfigService
    private(set) var liveActivities: RealLiveActivityService
    private(set) var notifications: RealNotificationService
    private(set) var bootstrap: AppBootstrap

    init(_ harness: AppHarness, device: String = "phone", signOut: CognitoSettings.SignOut = .thisPhone) async {
        self.harness = harness
        self.device = DeviceID(device)
        kit = SimulatedActivityKit(clock: clock, seed: UInt64.random(in: 0...UInt64.max))
        let app = Self.build(
            harness, kit, web, keychain, store, notificationPort, clock, Self.profile(device, version), signOut)
        (auth, config, liveActivities, notifications, bootstrap) = app
        await kit.switchOn()
    }

    private static func profile(_ device: String, _ version: String) -> DeviceProfile {
        DeviceProfile(
            deviceID: DeviceID(device), osVersion: "18.4", appVersion: version, environment: .sandbox)
    }

    private typealias App = (
        CognitoAuthService, RealAppConfigService, RealLiveActivityService, RealNotificationService, AppBootstrap
    )

    private static func build(
        _ harness: AppHarness, _ kit: SimulatedActivityKit, _ web: CurlTransport, _ keychain: InMemoryKeychain,
        _ store: InMemoryKeyValueStore, _ notificationPort: FakeNotificationPort, _ clock: SystemClientClock,
        _ profile: DeviceProfile, _ signOut: CognitoSettings.SignOut
    ) -> App {
        let gateway = GatewayOverWeb(base: harness.gateway, web: web)
        let auth = CognitoAuthService(
            settings: CognitoSettings(clientID: harness.clientID, endpoint: harness.cognito, signOut: signOut),
            web: web,
            keychain: keychain, store: store, clock: clock)
        let config = RealAppConfigService(transport: gateway, store: store, profile: profile)
        let liveActivities = RealLiveActivityService(
            activityKit: kit, transport: gateway, session: auth, store: store, clock: clock,
            background: kit, profile: profile)
        let notifications = RealNotificationService(port: notificationPort, phone: liveActivities)
        let steps = BootSteps(
            config: config, auth: auth, liveActivities: liveActivities, notifications: notifications,
            matches: InMemoryMatchCacheStore())
        return (auth, config, liveActivities, notifications, AppBootstrap(steps: steps, clock: clock))
    }

    /// - Parameter version: of the app that comes next: an update.
    func killApp(version: String? = nil) async {
        await bootstrap.stop()
        await kit.killApp()
        self.version = version ?? self.version
        (auth, config, liveActivities, notifications, bootstrap) = Self.build(
            harness, kit, web, keychain, store, notificationPort, clock,
            Self.profile(device.rawValue, self.version), .thisPhone)
        await kit.setForeground(true)
    }

    /// Makes an account, verifies it and signs in.
    @discardableResult
    func signUp(_ email: String) async throws -> AppUser {
        try await auth.signUp(email: email, password: harness.password)
        // moto takes any.
        try await auth.verifyEmail(code: "000000")
        return try await auth.signIn(email: email, password: harness.password)
    }

    func end() async {
        await bootstrap.stop()
        await kit.switchOff()
    }
}
