// Compiled against stubs of Apple's frameworks only (deploy/apple-check): written from Apple's documentation of App
// Intents (https://developer.apple.com/documentation/appintents).
#if canImport(AppIntents) && os(iOS)
    public import AppIntents
    public import Foundation
    import SightscreenClient

    /// Names the intents of this module and of the card to the app, whose own `AppIntentsPackage` includes it. The widget
    /// does not link this module: of an intent that both have the system picks the process, and the widget's has no
    /// `MatchAssistant`.
    public struct MatchIntents: AppIntentsPackage {
        public static var includedPackages: [any AppIntentsPackage.Type] { [CardIntents.self] }
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

    private func spoken(_ answer: () async throws -> String) async throws -> IntentDialog {
        do { return "\(try await answer())" } catch let problem as IntentProblem { throw problem } catch {
            throw IntentProblem(MatchAssistant.sentence(for: error))
        }
    }
#endif
