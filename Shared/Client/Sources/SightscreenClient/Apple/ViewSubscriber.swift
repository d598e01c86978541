// Compiled against stubs of Apple's frameworks only (deploy/apple-check).
#if canImport(SwiftUI)
    public import SwiftUI

    extension View {
        /// Keeps the source's data current while this view is on screen and the app is in the foreground. Cached data
        /// is shown first. While there is none, the view is covered by a progress view, or by the reason and a button
        /// that tries again. Another source takes the place of the one before. `DataPoller` does the work.
        public func viewSubscriber<Source: DataSource>(
            dataSource: Source, clock: any ClientClock = SystemClientClock()
        ) -> some View {
            modifier(ViewSubscriber(source: dataSource, clock: clock))
        }
    }

    private struct ViewSubscriber<Source: DataSource>: ViewModifier {
        @Environment(\.scenePhase) private var phase
        /// It stays for as long as the view does.
        @State private var poller: DataPoller<Source>
        let source: Source

        init(source: Source, clock: any ClientClock) {
            self.source = source
            _poller = State(initialValue: DataPoller(source, clock: clock))
        }

        func body(content: Content) -> some View {
            content
                .overlay { notice }
                .onAppear {
                    poller.use(source)
                    // The phase is reported first, because the system also draws views of an app in the background.
                    reportPhase()
                    poller.appear()
                }
                .onDisappear { poller.disappear() }
                .onChange(of: ObjectIdentifier(source)) { poller.use(source) }
                .onChange(of: phase) { reportPhase() }
        }

        @ViewBuilder private var notice: some View {
            switch poller.notice {
            case .nothing, .outdated: EmptyView()
            case .loading: ProgressView()
            case .failed:
                ContentUnavailableView {
                    Text("No scores yet")
                } description: {
                    Text("Sightscreen could not be reached. It is tried again by itself.")
                } actions: {
                    Button("Try again") { poller.retry() }
                }
            }
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
