// Compiled against stubs of Apple's frameworks only (deploy/apple-check).
#if canImport(AppIntents) && os(iOS)
    import AppIntents
    import SightscreenModels
    import SwiftUI

    /// The button below a card that has room for it.
    struct UnfollowButton: View {
        let match: MatchID
        let ink: Color

        var body: some View {
            Button(intent: UnfollowCardIntent(match)) {
                Text("Unfollow").font(.system(size: 12, weight: .semibold)).foregroundStyle(ink)
            }
            .buttonStyle(.plain)
            .frame(height: CardLayout.buttonHeight)
        }
    }
#endif
