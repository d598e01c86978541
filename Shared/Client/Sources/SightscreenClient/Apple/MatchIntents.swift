// Compiled against stubs of Apple's frameworks only (deploy/apple-check): written from Apple's documentation of App
// Intents (https://developer.apple.com/documentation/appintents).
#if canImport(AppIntents) && os(iOS)
    public import AppIntents
    public import Foundation
    import SightscreenModels

    /// Names this module's intents to the app, whose own `AppIntentsPackage` includes it.
    public struct SightscreenIntents: AppIntentsPackage {}

    extension MatchAssistant {
        /// Registers the assistant for the intents. Call it in `didFinishLaunching`, because the system may launch the
        /// app for an intent alone.
        public func answerIntents() { AppDependencyManager.shared.add(dependency: self) }
    }

    /// "Follow a match". As a `LiveActivityIntent` it may start the activity while the app is in the background
    /// (https://developer.apple.com/documentation/appintents/liveactivityintent).
    public struct FollowMatchIntent: LiveActivityIntent {
        public static let title: LocalizedStringResource = "Follow a match"

        @Parameter(title: "Match") public var match: MatchEntity
        @AppDependency private var assistant: MatchAssistant

        public init() {}

        public func perform() async throws -> some IntentResult & ProvidesDialog {
            .result(dialog: try await spoken { try await assistant.follow(match.matchID) })
        }
    }

    /// "Unfollow a match".
    public struct UnfollowMatchIntent: LiveActivityIntent {
        public static let title: LocalizedStringResource = "Unfollow a match"

        @Parameter(title: "Match") public var match: MatchEntity
        @AppDependency private var assistant: MatchAssistant

        public init() {}

        public func perform() async throws -> some IntentResult & ProvidesDialog {
            .result(dialog: try await spoken { await assistant.unfollow(try match.matchID) })
        }
    }

    /// "What's the score?" of a match that the person names, otherwise of the one that they follow.
    public struct MatchScoreIntent: AppIntent {
        public static let title: LocalizedStringResource = "What's the score?"

        @Parameter(title: "Match") public var match: MatchEntity?
        @AppDependency private var assistant: MatchAssistant

        public init() {}

        public func perform() async throws -> some IntentResult & ProvidesDialog {
            .result(dialog: try await spoken { try await assistant.score(of: match?.matchID) })
        }
    }

    /// The button on the card. The system runs it in the app's process, so the backend learns of the unfollow, which it
    /// may not after a swipe.
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

    private func spoken(_ answer: () async throws -> String) async throws -> IntentDialog {
        do { return "\(try await answer())" } catch let problem as IntentProblem { throw problem } catch {
            throw IntentProblem(MatchAssistant.sentence(for: error))
        }
    }
#endif
