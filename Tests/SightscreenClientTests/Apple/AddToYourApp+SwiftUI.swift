// The code of deploy/docs/add-to-your-app.md that needs SwiftUI and ActivityKit. It is compared with the page like the
// rest, and compiled only where there is an SDK for iOS.
#if canImport(SwiftUI) && canImport(ActivityKit) && os(iOS)
    import Foundation
    import Messages
    import SightscreenClient
    import SwiftUI

    extension AppPorts {
        /// - Parameter session: your AuthService.
        @MainActor
        static func apple(session: any SessionPort) -> AppPorts {
            AppPorts(
                gateway: URLSessionTransport(base: URL(string: "https://api.sightscreen.app")!),
                web: URLSessionWebTransport(), session: session, activityKit: AppleActivityKit(),
                store: UserDefaultsStore(), matchFiles: DirectoryFileStore.caches("matches"),
                imageFiles: DirectoryFileStore(appGroup: "group.com.sightscreen", folder: "images")
                    ?? DirectoryFileStore.caches("images"),
                clock: SystemClientClock(), profile: .current(.production))
        }
    }

    struct SightscreenApp: App {
        // Your AuthService in place of the fake.
        @State private var services = AppServices(.apple(session: FakeSession(user: nil, token: nil)))
        @State private var isReady = false

        var body: some Scene {
            WindowGroup {
                Group { if isReady { MatchListView(source: services.live) } else { ProgressView() } }
                    .task {
                        await services.hydrate()
                        isReady = true
                        try? await services.start()
                    }
                    .liveActivities(services.liveActivities)
                    .evictsImages(of: services.images)
                    .environment(\.scheduleService, services.schedule)
                    .environment(\.liveActivityService, services.liveActivities)
                    .environment(\.imageCacheService, services.images)
                    .environment(\.matchCacheStore, services.matches)
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

    #Preview {
        MatchListView(source: FakeDataSource(SampleMatches.all(now: Int(Date.now.timeIntervalSince1970))))
            .environment(\.imageCacheService, FakeImageCacheService())
    }
#endif
