// Compiled against stubs of Apple's frameworks only (deploy/apple-check).
#if canImport(SwiftUI)
    import Foundation
    public import SwiftUI

    /// Shows a launch screen, then the app when it is ready, or the reason why the launch is halted.
    public struct BootstrapGate<Ready: View, SignIn: View>: View {
        @Environment(\.scenePhase) private var phase
        @Environment(\.openURL) private var openURL
        private let bootstrap: AppBootstrap
        private let ready: () -> Ready
        private let signIn: () -> SignIn

        /// - Parameters:
        ///   - ready: the app's content.
        ///   - signIn: the view for signing in. The launch continues by itself after a sign-in.
        public init(
            _ bootstrap: AppBootstrap, @ViewBuilder ready: @escaping () -> Ready,
            @ViewBuilder signIn: @escaping () -> SignIn
        ) {
            self.bootstrap = bootstrap
            self.ready = ready
            self.signIn = signIn
        }

        public var body: some View {
            Group {
                switch bootstrap.state {
                case .launching: ProgressView()
                case .ready: ready()
                case .halted(.signIn): signIn()
                case .halted(.maintenance(let message)):
                    halt("Back soon", message ?? "Sightscreen is being worked on.") { tryAgain }
                case .halted(.forceUpdate(_, let storeURL)):
                    halt("Please update", "This version of Sightscreen cannot be used any more.") {
                        if let url = URL(string: storeURL) { Button("Open the App Store") { openURL(url) } }
                    }
                case .halted(.failure): halt("That did not work", "Sightscreen could not be started.") { tryAgain }
                }
            }
            .task { await bootstrap.start() }
            .onChange(of: phase) { _, phase in
                if phase == .active { Task { await bootstrap.enterForeground() } }
            }
        }

        private var tryAgain: some View { Button("Try again") { Task { await bootstrap.retry() } } }

        private func halt(_ title: String, _ text: String, @ViewBuilder button: () -> some View) -> some View {
            ContentUnavailableView {
                Text(title)
            } description: {
                Text(text)
            } actions: {
                button()
            }
        }
    }
#endif
