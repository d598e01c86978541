// Compiled against stubs of Apple's frameworks only (deploy/apple-check).
#if canImport(SwiftUI) && os(iOS)
    import Network
    public import SwiftUI

    extension View {
        /// Tells the service when this scene enters the foreground or background, and when the network is back.
        public func liveActivities(_ service: any LiveActivityService) -> some View {
            modifier(LiveActivityScene(service: service))
        }
    }

    private struct LiveActivityScene: ViewModifier {
        @Environment(\.scenePhase) private var phase
        @State private var scene = AppScene()
        let service: any LiveActivityService

        func body(content: Content) -> some View {
            content
                .task(id: phase) {
                    switch phase {
                    case .active: await service.enterForeground(scene)
                    case .background: await service.enterBackground(scene)
                    default: break
                    }
                }
                // A window that is closed may not say that it was in the background.
                .onDisappear { Task { [service, scene] in await service.enterBackground(scene) } }
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
