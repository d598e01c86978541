// Compiled against stubs of Apple's frameworks only (deploy/apple-check).
#if canImport(SwiftUI) && os(iOS)
    import Network
    public import SwiftUI

    extension View {
        /// Tells the service when the app enters the foreground or background, and when the network is back.
        public func liveActivities(_ service: any LiveActivityService) -> some View {
            modifier(LiveActivityScene(service: service))
        }
    }

    private struct LiveActivityScene: ViewModifier {
        @Environment(\.scenePhase) private var phase
        let service: any LiveActivityService

        func body(content: Content) -> some View {
            content
                .task(id: phase) {
                    switch phase {
                    case .active: await service.enterForeground()
                    case .background: await service.enterBackground()
                    default: break
                    }
                }
                .task {
                    var wasConnected = true
                    for await path in NWPathMonitor() {
                        let isConnected = path.status == .satisfied
                        if isConnected, !wasConnected { await service.connectionRestored() }
                        wasConnected = isConnected
                    }
                }
        }
    }
#endif
