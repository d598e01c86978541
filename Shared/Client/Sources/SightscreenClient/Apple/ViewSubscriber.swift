// Compiled against stubs of Apple's frameworks only (deploy/apple-check).
#if canImport(SwiftUI)
    public import SwiftUI

    extension View {
        /// Keeps the source's data current while this view is on screen and the app is in the foreground. Cached data
        /// is shown first. `DataPoller` does the work.
        public func viewSubscriber(
            dataSource: some DataSource, clock: any ClientClock = SystemClientClock()
        ) -> some View {
            modifier(ViewSubscriber(poller: DataPoller(dataSource, clock: clock)))
        }
    }

    private struct ViewSubscriber<Source: DataSource>: ViewModifier {
        @Environment(\.scenePhase) private var phase
        /// The first poller stays for as long as the view does.
        @State private var poller: DataPoller<Source>

        init(poller: DataPoller<Source>) { _poller = State(initialValue: poller) }

        func body(content: Content) -> some View {
            content
                .onAppear {
                    // The phase is reported first, because the system also draws views of an app in the background.
                    reportPhase()
                    poller.appear()
                }
                .onDisappear { poller.disappear() }
                .onChange(of: phase) { reportPhase() }
        }

        private func reportPhase() {
            switch phase {
            case .active: poller.enterForeground()
            case .background: poller.enterBackground()
            // The phase is inactive while Notification Centre or the app switcher is open; the view is still visible.
            default: break
            }
        }
    }
#endif
