// The code of Shared/Client/docs/add-to-your-app.md that needs nothing of Apple's. `AddToYourAppTests` compares the two: what the
// page shows is compiled here.
import Observation
import SightscreenClient
import SightscreenModels

/// What the library needs of the world: Apple's in the app, a simulated phone's in tests.
struct AppPorts {
    var gateway: any APITransport
    var web: any WebTransport
    var activityKit: any ActivityKitPort
    var notifications: any NotificationPort
    var keychain: any KeychainPort
    var store: any KeyValueStore
    var matchFiles: any FileStore
    var imageFiles: any FileStore
    var clock: any ClientClock
    var profile: DeviceProfile
    var cognito: CognitoSettings
}

/// The library's services, made once and kept for as long as the app lives.
@MainActor
final class AppServices {
    let auth: any AuthService
    let config: any AppConfigService
    let notifications: any NotificationService
    let liveActivities: any LiveActivityService
    let matches: any MatchCacheStore
    let schedule: any ScheduleService
    let images: any ImageCacheService
    let live: LiveMatchesDataSource
    let bootstrap: AppBootstrap

    init(_ ports: AppPorts) {
        let (clock, store) = (ports.clock, ports.store)
        let auth = CognitoAuthService(
            settings: ports.cognito, web: ports.web, keychain: ports.keychain, store: store, clock: clock)
        let api = SightscreenAPI(transport: ports.gateway, session: auth, clock: clock)
        let matches = RealMatchCacheStore(disk: MatchDiskCacheWrapper(files: ports.matchFiles), clock: clock)
        self.auth = auth
        self.matches = matches
        config = RealAppConfigService(transport: ports.gateway, store: store, profile: ports.profile)
        liveActivities = RealLiveActivityService(
            activityKit: ports.activityKit, transport: ports.gateway, session: auth, store: store, clock: clock,
            profile: ports.profile)
        notifications = RealNotificationService(port: ports.notifications, phone: liveActivities)
        schedule = RealScheduleService(api: api, cache: matches, clock: clock)
        live = LiveMatchesDataSource(api: api, cache: matches, clock: clock)
        images = RealImageCacheService(web: ports.web, files: ports.imageFiles, clock: clock) { team in
            "https://images.sightscreen.app/teams/\(team.id).png"
        }
        bootstrap = AppBootstrap(
            steps: BootSteps(
                config: config, auth: auth, liveActivities: liveActivities, notifications: notifications,
                matches: matches), clock: clock)
    }

    /// Before others take their place: nothing of these runs any more, and nobody pushes to this phone.
    func close() async {
        await bootstrap.stop()
        await liveActivities.unregisterPhone()
        await matches.flush()
    }
}

extension AppServices {
    /// What a day shows, and logos before they are scrolled to.
    func open(_ day: UTCDay) async throws -> [MatchItem] {
        let schedule = try await schedule.fetchSchedule(for: day)
        await images.prefetch(schedule.matches)
        return schedule.matches
    }
}

extension AppPorts {
    /// The same phone in a debug build: calls go where the switch says, and what comes of them is kept apart.
    func switched(
        by mode: FakeModeSwitch, fakeAPI: any APITransport, fakeFiles: (String) -> any FileStore
    ) -> AppPorts {
        var ports = self
        ports.gateway = SwitchedTransport(gateway: gateway, fakeAPI: fakeAPI, mode: mode, clock: clock)
        ports.store = SwitchedStore(store, mode: mode)
        ports.matchFiles = SwitchedFileStore(matchFiles, mode: mode, fake: fakeFiles)
        return ports
    }
}

/// What is behind the debug menu, and the app whose services it changes.
@MainActor
@Observable
final class DebugMenu {
    private(set) var services: AppServices
    private(set) var admin: any AdminService
    @ObservationIgnored private let make: @MainActor () -> (AppServices, any AdminService)
    @ObservationIgnored private var isChanging = false

    init(_ ports: AppPorts, fakeAPI: any APITransport, fakeFiles: @escaping (String) -> any FileStore) {
        let mode = FakeModeSwitch(store: ports.store)
        make = {
            let services = AppServices(ports.switched(by: mode, fakeAPI: fakeAPI, fakeFiles: fakeFiles))
            let api = SightscreenAPI(transport: fakeAPI, session: services.auth, clock: ports.clock)
            return (services, RealAdminService(api: api, fakeMode: mode))
        }
        (services, admin) = make()
    }

    /// Another backend means another app: whoever shows it begins with its launch.
    func setMode(_ mode: FakeMode) async {
        guard !isChanging else { return }
        guard !mode.sharesData(with: admin.mode) else { return admin.setMode(mode) }
        isChanging = true
        defer { isChanging = false }
        await services.close()
        admin.setMode(mode)
        (services, admin) = make()
    }

    /// A recorded match at forty times its speed, for everybody on the fake API.
    func playATape() async throws {
        await setMode(.fakeAPI)
        guard let tape = try await admin.tapes().first else { return }
        let replay = try await admin.play(ReplayOrder(tapeId: tape.tapeId, speed: 40))
        try await admin.control(replay.matchId, .seekToBall("S2 5.1"))
    }
}
