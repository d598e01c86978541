// The code of Shared/Client/docs/add-to-your-app.md for debug builds and previews, which the example leaves out.
// `AddToYourAppTests` compares it with the page; deploy/apple-check compiles it against stubs.
#if canImport(SwiftUI) && canImport(ActivityKit) && os(iOS)
    import Foundation
    import SightscreenClient
    import SightscreenModels
    import SwiftUI
    import UIKit
    import UserNotifications

    #if DEBUG
        struct DebugApp: App {
            @UIApplicationDelegateAdaptor private var delegate: DebugDelegate
            private let log = DebugLogService()

            init() { AppLogger.start([OSLogDestination(subsystem: "app.sightscreen"), log]) }

            var body: some Scene {
                WindowGroup {
                    AppView(services: delegate.services)
                        // Other services make another view, which begins with the launch.
                        .id(ObjectIdentifier(delegate.services))
                        .safeAreaInset(edge: .bottom) { DebugMenuView(menu: delegate.menu, log: log) }
                }
            }
        }

        final class DebugDelegate: AppDelegate {
            // A build run from Xcode gets its tokens from APNs' sandbox.
            private(set) lazy var menu = DebugMenu(
                .apple(.sandbox),
                fakeAPI: .apple(.sandbox).onFakeAPI(
                    URLSessionTransport(base: URL(string: FakeModeSwitch.address)!),
                    store: UserDefaultsStore(UserDefaults(suiteName: "fake-api")!),
                    matchFiles: DirectoryFileStore.caches("matches-fake-api")))
            override var services: AppServices { menu.services }
        }

        struct DebugMenuView: View {
            let menu: DebugMenu
            let log: DebugLogService
            @State private var showsLog = false

            var body: some View {
                Menu("Debug") {
                    Button(menu.admin.usesFakeAPI ? "Use the gateway" : "Use the fake API") {
                        Task { await menu.setUsesFakeAPI(!menu.admin.usesFakeAPI) }
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
