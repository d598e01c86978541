// Compiled against stubs of Apple's frameworks only (deploy/apple-check).
#if canImport(SwiftUI)
    public import SwiftUI

    extension View {
        /// Keeps the source's data current while this view is on the screen and the app in front: cached data first.
        ///
        /// Compiled against stubs only; `DataPoller` does all of it.
        public func viewSubscriber(
            dataSource: some DataSource, clock: any ClientClock = SystemClientClock()
        ) -> some View {
            modifier(ViewSubscriber(poller: DataPoller(dataSource, clock: clock)))
        }
    }

    private struct ViewSubscriber<Source: DataSource>: ViewModifier {
        @Environment(\.scenePhase) private var phase
        /// The first one stays for as long as the view does.
        @State private var poller: DataPoller<Source>

        init(poller: DataPoller<Source>) { _poller = State(initialValue: poller) }

        func body(content: Content) -> some View {
            content
                .onAppear {
                    // First: the system also draws views of an app that is in the background.
                    tellPhase()
                    poller.appear()
                }
                .onDisappear { poller.disappear() }
                .onChange(of: phase) { tellPhase() }
        }

        private func tellPhase() {
            switch phase {
            case .active: poller.enterForeground()
            case .background: poller.enterBackground()
            // A notification is pulled down, the app switcher is open: the view is still seen.
            default: break
            }
        }
    }
#endif
