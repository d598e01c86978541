// The code of deploy/docs/add-to-your-app.md that needs SwiftUI and ActivityKit. It is compared with the page like the
// rest; deploy/apple-check compiles it against stubs.
#if canImport(SwiftUI) && canImport(ActivityKit) && os(iOS)
    import Foundation
    import Messages
    import Sightscreen
    import SightscreenClient
    import SwiftUI
    import UIKit

    extension AppPorts {
        @MainActor
        static func apple() -> AppPorts {
            AppPorts(
                gateway: URLSessionTransport(base: URL(string: "https://api.sightscreen.app")!),
                web: URLSessionWebTransport(), activityKit: AppleActivityKit(),
                notifications: AppleNotificationPort(), keychain: SystemKeychain(service: "app.sightscreen"),
                store: UserDefaultsStore(), matchFiles: DirectoryFileStore.caches("matches"),
                imageFiles: DirectoryFileStore(appGroup: "group.com.sightscreen", folder: "images")
                    ?? DirectoryFileStore.caches("images"),
                clock: SystemClientClock(), profile: .current(.production),
                cognito: CognitoSettings(clientID: "your app client's", region: "eu-west-1"))
        }
    }

    struct SightscreenApp: App {
        @State private var services = AppServices(.apple())

        var body: some Scene {
            WindowGroup { AppView(services: services) }
        }
    }

    struct AppView: View {
        let services: AppServices

        var body: some View {
            BootstrapGate(services.bootstrap) {
                MatchListView(source: services.live)
            } signIn: {
                SignInView()
            }
            .liveActivities(services.liveActivities)
            .evictsImages(of: services.images)
            .environment(\.authService, services.auth)
            .environment(\.scheduleService, services.schedule)
            .environment(\.liveActivityService, services.liveActivities)
            .environment(\.notificationService, services.notifications)
            .environment(\.appConfigService, services.config)
            .environment(\.imageCacheService, services.images)
            .environment(\.matchCacheStore, services.matches)
        }
    }

    struct SignInView: View {
        @Environment(\.authService) private var auth
        @State private var email = ""
        @State private var password = ""
        @State private var problem: AuthError?

        var body: some View {
            Form {
                TextField("Address of e-mail", text: $email)
                SecureField("Password", text: $password)
                Button("Sign in") {
                    Task {
                        do throws(AuthError) {
                            try await auth.signIn(email: email, password: password)
                        } catch { problem = error }
                    }
                }
                if problem == .wrongCredentials { Text("There is no such account, or its password is another.") }
            }
        }
    }

    struct MatchListView<Source: DataSource<[MatchItem]>>: View {
        let source: Source

        var body: some View {
            List(source.data ?? [], id: \.id) { match in
                HStack {
                    TeamLogo(team: match.home)
                    Text(match.displayState?.expanded.title ?? match.competition)
                    Spacer()
                    Text(match.displayState?.compactLeading.score ?? "")
                }
            }
            .viewSubscriber(dataSource: source)
        }
    }

    struct TeamLogo: View {
        @Environment(\.imageCacheService) private var images
        @State private var logo: UIImage?
        let team: MatchItem.Side

        var body: some View {
            Group { if let logo { Image(uiImage: logo).resizable() } else { Color.clear } }
                .frame(width: 24, height: 24)
                .task(id: team.id) {
                    guard let url = images.logo(of: team), let image = try? await images.image(url) else { return }
                    logo = UIImage(data: Data(image.bytes))
                }
        }
    }

    #if DEBUG
        struct DebugApp: App {
            @State private var menu = DebugMenu(
                .apple(), fakeAPI: URLSessionTransport(base: URL(string: SwitchedTransport.fakeAPIAddress)!)
            ) { DirectoryFileStore.caches("matches-\($0)") }
            private let log = DebugLogService()

            init() { AppLogger.start([OSLogDestination(subsystem: "app.sightscreen"), log]) }

            var body: some Scene {
                WindowGroup {
                    AppView(services: menu.services)
                        // Other services: another app, from its launch on.
                        .id(ObjectIdentifier(menu.services))
                        .safeAreaInset(edge: .bottom) { DebugMenuView(menu: menu, log: log) }
                }
            }
        }

        struct DebugMenuView: View {
            let menu: DebugMenu
            let log: DebugLogService
            @State private var showsLog = false

            var body: some View {
                Menu("Debug") {
                    ForEach(FakeMode.allCases, id: \.self) { mode in
                        Button(mode.rawValue) { Task { await menu.setMode(mode) } }
                    }
                    Button("Play a tape") { Task { try? await menu.playATape() } }
                    Button("Log") { showsLog = true }
                }
                .environment(\.adminService, menu.admin)
                .sheet(isPresented: $showsLog) { NavigationStack { DebugLogOverlay(log) } }
            }
        }
    #endif

    #Preview {
        MatchListView(source: FakeDataSource(SampleMatches.all(now: Int(Date.now.timeIntervalSince1970))))
            .environment(\.imageCacheService, FakeImageCacheService())
    }
#endif
