// The code of Shared/Client/docs/add-to-your-app.md that uses none of Apple's frameworks. `AddToYourAppTests` compares
// it with the page, and the example links to it.
import SightscreenClient
import SightscreenModels

/// The library's ports to the system: Apple's frameworks in the app, a simulated phone in tests.
struct AppPorts {
    var gateway: any APITransport
    var web: any WebTransport
    var activityKit: any ActivityKitPort
    var background: any BackgroundTimePort
    var notifications: any NotificationPort
    var keychain: any KeychainPort
    /// Keeps the mark that a user is signed in.
    var sessionStore: any KeyValueStore
    var store: any KeyValueStore
    var matchFiles: any FileStore
    var imageFiles: any FileStore
    /// Makes a downloaded image small enough for a card.
    var thumbnail: @Sendable (ImageData) -> ImageData?
    var clock: any ClientClock
    var profile: DeviceProfile
    var cognito: CognitoSettings
}

/// The library's services, made once and kept for as long as the app runs.
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
    let assistant: MatchAssistant
    let bootstrap: AppBootstrap

    init(_ ports: AppPorts) {
        let (clock, store) = (ports.clock, ports.store)
        let auth = CognitoAuthService(
            settings: ports.cognito, web: ports.web, keychain: ports.keychain, store: ports.sessionStore,
            clock: clock)
        let api = SightscreenAPI(transport: ports.gateway, session: auth, clock: clock)
        let matches = RealMatchCacheStore(disk: MatchDiskCacheWrapper(files: ports.matchFiles), clock: clock)
        self.auth = auth
        self.matches = matches
        config = RealAppConfigService(transport: ports.gateway, store: store, profile: ports.profile)
        images = RealImageCacheService(
            web: ports.web, files: ports.imageFiles, clock: clock, thumbnail: ports.thumbnail)
        liveActivities = RealLiveActivityService(
            activityKit: ports.activityKit, transport: ports.gateway, session: auth, store: store, clock: clock,
            background: ports.background, profile: ports.profile, images: images)
        notifications = RealNotificationService(port: ports.notifications, phone: liveActivities)
        schedule = RealScheduleService(api: api, cache: matches, clock: clock)
        live = LiveMatchesDataSource(api: api, cache: matches, clock: clock)
        assistant = MatchAssistant(api: api, liveActivities: liveActivities, clock: clock)
        bootstrap = AppBootstrap(
            steps: BootSteps(
                config: config, auth: auth, liveActivities: liveActivities, notifications: notifications,
                matches: matches), clock: clock)
    }

    /// Stops these services before others replace them: nothing runs any more, and the backend sends no pushes here.
    func close() async {
        await bootstrap.stop()
        await liveActivities.unregisterPhone()
        await matches.flush()
    }
}
