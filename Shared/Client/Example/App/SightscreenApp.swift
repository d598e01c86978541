// The code of Shared/Client/docs/add-to-your-app.md that needs SwiftUI and ActivityKit. `AddToYourAppTests` compares it
// with the page; deploy/apple-check compiles it against stubs.
import AppIntents
import Foundation
import SightscreenClient
import SightscreenModels
import SwiftUI
import UIKit
import UserNotifications

extension AppPorts {
    @MainActor
    static func apple(_ environment: APNsEnvironment = .production) -> AppPorts {
        let keychain = SystemKeychain(service: "app.sightscreen")
        return AppPorts(
            gateway: URLSessionTransport(base: URL(string: "https://api.sightscreen.app")!),
            web: URLSessionWebTransport(), activityKit: AppleActivityKit(), background: AppleBackgroundTime(),
            notifications: AppleNotificationPort(), keychain: keychain,
            sessionStore: UserDefaultsStore(), store: UserDefaultsStore(),
            matchFiles: DirectoryFileStore.caches("matches"),
            imageFiles: DirectoryFileStore(appGroup: "group.com.sightscreen", folder: "images")
                ?? DirectoryFileStore.caches("images"), thumbnail: ImageData.thumbnail,
            clock: SystemClientClock(), profile: .current(environment, keychain: keychain),
            cognito: CognitoSettings(clientID: "your app client's", region: "eu-west-1"))
    }
}

@main
struct SightscreenApp: App {
    @UIApplicationDelegateAdaptor private var delegate: AppDelegate

    init() { AppLogger.start([OSLogDestination(subsystem: "app.sightscreen")]) }

    var body: some Scene {
        WindowGroup { AppView(services: delegate.services) }
    }
}

class AppDelegate: UIResponder, UIApplicationDelegate, UNUserNotificationCenterDelegate {
    #if DEBUG
        // A build that Xcode runs gets tokens of APNs' sandbox.
        private lazy var made = AppServices(.apple(.sandbox))
    #else
        private lazy var made = AppServices(.apple())
    #endif
    var services: AppServices { made }

    /// Starts the service, because tokens are observed also in a background launch without a window.
    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions options: [UIApplication.LaunchOptionsKey: Any]? = nil
    ) -> Bool {
        UNUserNotificationCenter.current().delegate = self
        services.assistant.answerIntents()
        Task { await services.liveActivities.start() }
        return true
    }

    func application(
        _ application: UIApplication, didRegisterForRemoteNotificationsWithDeviceToken token: Data
    ) {
        Task { await services.notifications.registerDevice(token: DeviceToken(token.hexString)) }
    }

    func application(
        _ application: UIApplication, didReceiveRemoteNotification info: [AnyHashable: Any]
    ) async -> UIBackgroundFetchResult {
        guard let push = AppPush(userInfo: info, kind: .silent) else { return .noData }
        await services.liveActivities.receive(push)
        return .newData
    }

    /// A notification that comes while the app is open is not shown: the app puts the card there itself.
    nonisolated func userNotificationCenter(
        _ center: UNUserNotificationCenter, willPresent notification: UNNotification,
        withCompletionHandler done: @escaping (UNNotificationPresentationOptions) -> Void
    ) {
        if let push = AppPush(userInfo: notification.request.content.userInfo, kind: .opened) {
            Task { await services.liveActivities.receive(push) }
        }
        done([])
    }

    nonisolated func userNotificationCenter(
        _ center: UNUserNotificationCenter, didReceive response: UNNotificationResponse,
        withCompletionHandler done: @escaping () -> Void
    ) {
        if let push = AppPush(userInfo: response.notification.request.content.userInfo, kind: .opened) {
            Task { await services.liveActivities.receive(push) }
        }
        done()
    }
}

struct AppView: View {
    let services: AppServices
    @State private var opened: MatchID?

    var body: some View {
        BootstrapGate(services.bootstrap) {
            TabView {
                MatchListView(source: services.live).tabItem { Label("Live", systemImage: "sportscourt") }
                ScheduleView(service: services.schedule)
                    .tabItem { Label("Schedule", systemImage: "calendar") }
                SettingsView(services: services).tabItem { Label("Settings", systemImage: "gearshape") }
            }
            .sheet(item: $opened) { OpenedMatchView(id: $0, assistant: services.assistant) }
            // Siri knows the matches' names in a phrase only after this.
            .onChange(of: services.live.data?.map(\.id)) { SightscreenShortcuts.updateAppShortcutParameters() }
        } signIn: {
            SignInView()
        }
        // A tap on a card opens its match, once the app is ready.
        .onOpenURL { opened = MatchID(link: $0.absoluteString) }
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
            TextField("Address of e-mail", text: $email).textContentType(.username)
                .textInputAutocapitalization(.never).autocorrectionDisabled()
            SecureField("Password", text: $password).textContentType(.password)
            Button("Sign in") {
                Task {
                    problem = nil
                    do throws(AuthError) {
                        try await auth.signIn(email: email, password: password)
                    } catch { problem = error }
                }
            }
            switch problem {
            case nil: EmptyView()
            case .wrongCredentials: Text("There is no such account, or its password is another.")
            case .notVerified: Text("Enter the code that was sent to this address.")
            case let problem?: Text(problem.passes ? "Try again later." : "The sign-in failed.")
            }
        }
    }
}

struct MatchListView<Source: DataSource<[MatchItem]>>: View {
    let source: Source

    var body: some View {
        List(source.data ?? [], id: \.id) { MatchRow(match: $0) }.viewSubscriber(dataSource: source)
    }
}

struct MatchRow: View {
    let match: MatchItem

    var body: some View {
        HStack {
            TeamLogo(team: match.home)
            Text(match.displayState?.expanded.title ?? match.competition)
            Spacer()
            Text(match.displayState?.compactLeading.score ?? "")
            FollowButtonView(match: match)
        }
    }
}

struct OpenedMatchView: View {
    let id: MatchID
    let assistant: MatchAssistant
    @State private var match: MatchItem?
    @State private var isMissing = false

    var body: some View {
        Group {
            if let match {
                MatchRow(match: match)
            } else if isMissing {
                Text("This match cannot be shown.")
            } else {
                ProgressView()
            }
        }
        .task(id: id) {
            match = try? await assistant.match(id)
            isMissing = match == nil
        }
    }
}

struct FollowButtonView: View {
    @Environment(\.liveActivityService) private var service
    @State private var button = FollowButton.empty
    let match: MatchItem

    var body: some View {
        HStack {
            if button.showsAgain {
                Button("Show again") { Task { _ = try? await service.showAgain(match) } }
            }
            Button {
                Task {
                    if button.state == .empty {
                        _ = try? await service.follow(match)
                    } else {
                        await service.unfollow(match.id)
                    }
                }
            } label: {
                Image(systemName: symbol)
                    .opacity(button.isPending ? 0.4 : 1)
                    // The button stays enabled: a later tap replaces one that waits for the network.
                    .overlay { if button.isPending { ProgressView() } }
            }
        }
        // In a row of a list, a tap on the row would otherwise press both buttons.
        .buttonStyle(.borderless)
        .task {
            for await followButtons in await service.followButtons() { button = followButtons[match.id] ?? .empty }
        }
    }

    private var symbol: String {
        switch button.state {
        case .empty: "bell"
        case .filled: "bell.fill"
        case .filledWithWarning: "bell.badge.slash.fill"
        }
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
