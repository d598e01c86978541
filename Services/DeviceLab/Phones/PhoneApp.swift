import SightscreenClient
import SightscreenClientTesting
import SightscreenModels

/// One process of the app on one phone: its services, wired as at the app's entry point, and its launch.
struct PhoneApp: Sendable {
    let auth: FakeAuthService
    let service: RealLiveActivityService
    let notifications: RealNotificationService
    let bootstrap: AppBootstrap
    let network: PhoneNetwork
    let disk: PhoneDisk

    /// The password of every account; accounts of a lab have no secrets.
    private static let password = "a lab's password"

    /// - Parameters:
    ///   - user: the user whose session is in the Keychain.
    ///   - giveToken: requests the phone's device token from the system.
    @MainActor
    init(
        user: String, issuer: LabIssuer, network: PhoneNetwork, kit: SimulatedActivityKit,
        disk: PhoneDisk, profile: DeviceProfile, giveToken: @escaping @Sendable () async -> Void
    ) {
        let clock = SystemClientClock()
        auth = FakeAuthService(left: Self.account(user)) { await issuer.token(of: $0.id.rawValue) }
        service = RealLiveActivityService(
            activityKit: kit, transport: SimulatedTransport(network, on: kit), session: auth, store: disk,
            clock: clock, background: kit, profile: profile)
        notifications = RealNotificationService(port: PhoneNotifications(giveToken: giveToken), phone: service)
        let config = RealAppConfigService(transport: network, store: disk, profile: profile)
        bootstrap = AppBootstrap(
            steps: BootSteps(
                config: config, auth: auth, liveActivities: service, notifications: notifications,
                // A phone of the lab shows no lists, so its matches stay in memory.
                matches: InMemoryMatchCacheStore()), clock: clock)
        self.network = network
        self.disk = disk
    }
    /// Signs out the present user and signs another one in.
    @MainActor
    func signIn(_ user: String) async throws(AuthError) {
        let account = Self.account(user)
        await bootstrap.signOut()
        auth.add(account, password: Self.password)
        try await auth.signIn(email: account.email, password: Self.password)
    }
    /// The reason why the app cannot be used; nil if it can.
    @MainActor
    var obstacle: String? {
        guard case .halted(let screen) = bootstrap.state else { return nil }
        return switch screen {
        case .maintenance(let message): "maintenance\(message.map { ": \($0)" } ?? "")"
        case .forceUpdate(let minimum, _): "this version is too old; \(minimum) is the least one"
        case .signIn: "nobody is signed in"
        case .failure(_, .noConnection): "no connection"
        case .failure(_, .backend): "the backend refuses"
        case .failure(_, .keychain): "the Keychain cannot be read"
        }
    }

    private static func account(_ user: String) -> AppUser {
        AppUser(id: UserID(user), email: "\(user)@example.com")
    }
}

/// The system's notification settings: notifications are allowed, and the token comes at once.
private struct PhoneNotifications: NotificationPort {
    let giveToken: @Sendable () async -> Void

    func permission() async -> NotificationPermission { .authorized }
    func requestPermission() async -> NotificationPermission { .authorized }
    func registerForRemoteNotifications() async { await giveToken() }
    func unregisterForRemoteNotifications() async {}
}
