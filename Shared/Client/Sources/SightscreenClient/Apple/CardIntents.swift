// Compiled against stubs of Apple's frameworks only (deploy/apple-check): written from Apple's documentation of App
// Intents (https://developer.apple.com/documentation/appintents).
#if canImport(AppIntents) && os(iOS)
    public import AppIntents
    import Foundation
    import SightscreenModels

    /// Names the intent of the card's button to the widget, whose own `AppIntentsPackage` includes it.
    public struct CardIntents: AppIntentsPackage {}

    extension MatchAssistant {
        /// Registers the assistant for the intents. Call it in `didFinishLaunching`, because the system may launch the
        /// app for an intent alone.
        public func answerIntents() { AppDependencyManager.shared.add(dependency: self) }
    }

    /// The button on the card. The system runs a `LiveActivityIntent` in the app's process
    /// (https://developer.apple.com/documentation/appintents/liveactivityintent), so the backend learns of the unfollow,
    /// which it may not after a swipe.
    struct UnfollowCardIntent: LiveActivityIntent {
        static let title: LocalizedStringResource = "Unfollow"
        static let isDiscoverable = false

        @Parameter(title: "Match") var match: String
        @AppDependency private var assistant: MatchAssistant

        init() {}

        init(_ match: MatchID) { self.match = match.description }

        func perform() async throws -> some IntentResult {
            if let match = MatchID(match) { await assistant.unfollow(match) }
            return .result()
        }
    }
#endif
