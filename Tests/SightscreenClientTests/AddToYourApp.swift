// The code of deploy/docs/add-to-your-app.md that needs nothing of Apple's. `AddToYourAppTests` compares the two: what the
// page shows is compiled here.
import Messages
import Sightscreen
import SightscreenClient

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
                hydrate: { await matches.loadFromDisk() }), clock: clock)
    }
}

extension AppServices {
    /// What a day shows, and logos before they are scrolled to.
    func open(_ day: MatchDay) async throws -> [MatchItem] {
        let schedule = try await schedule.fetchSchedule(for: day)
        await images.prefetch(schedule.matches)
        return schedule.matches
    }
}

#if DEBUG
    /// The debug menu's services: calls go where its switch says.
    @MainActor
    struct DebugMenu {
        let admin: any AdminService
        /// In place of the gateway's transport.
        let gateway: any APITransport

        init(gateway: any APITransport, fakeAPI: any APITransport, session: any SessionPort, store: any KeyValueStore) {
            let mode = FakeModeSwitch(store: store)
            let switched = SwitchedTransport(gateway: gateway, fakeAPI: fakeAPI, mode: mode)
            self.gateway = switched
            admin = RealAdminService(
                api: SightscreenAPI(transport: switched, session: session, clock: SystemClientClock()), fakeMode: mode)
        }

        /// A recorded match at forty times its speed, for everybody on that gateway.
        func playATape() async throws {
            admin.setUsesFakeAPI(true)
            guard let tape = try await admin.tapes().first else { return }
            let replay = try await admin.play(ReplayOrder(tapeId: tape.tapeId, speed: 40))
            try await admin.control(replay.matchId, .seekToBall("S2 5.1"))
        }
    }
#endif
