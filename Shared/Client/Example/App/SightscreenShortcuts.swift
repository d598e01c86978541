import AppIntents
import Foundation
import SightscreenIntents

/// The phrases for Siri, which belong to the app: an app has one such type.
struct SightscreenShortcuts: AppShortcutsProvider {
    static var appShortcuts: [AppShortcut] {
        AppShortcut(
            intent: MatchScoreIntent(),
            phrases: ["What's the score in \(.applicationName)", "Score in \(.applicationName)"],
            shortTitle: "Score", systemImageName: "sportscourt")
        AppShortcut(
            intent: FollowMatchIntent(),
            phrases: ["Follow \(\.$match) in \(.applicationName)", "Follow a match in \(.applicationName)"],
            shortTitle: "Follow", systemImageName: "bell")
        AppShortcut(
            intent: UnfollowMatchIntent(),
            phrases: ["Unfollow \(\.$match) in \(.applicationName)", "Unfollow a match in \(.applicationName)"],
            shortTitle: "Unfollow", systemImageName: "bell.slash")
    }
}

/// Includes the library's intents: those of a package are found only where the app names it.
struct ExampleIntents: AppIntentsPackage {
    static var includedPackages: [any AppIntentsPackage.Type] { [MatchIntents.self] }
}
