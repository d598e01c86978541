// Compiled against stubs of Apple's frameworks only (deploy/apple-check).
#if canImport(AppIntents) && os(iOS)
    public import AppIntents
    import Foundation
    import SightscreenClient
    public import SightscreenModels

    /// A match in Siri and Shortcuts (https://developer.apple.com/documentation/appintents/appentity).
    public struct MatchEntity: AppEntity {
        public static let typeDisplayRepresentation: TypeDisplayRepresentation = "Match"
        public static let defaultQuery = MatchQuery()

        /// The match's id in decimal.
        public let id: String
        private let title: String
        private let competition: String

        public init(_ match: MatchItem) {
            id = match.id.description
            title = "\(match.home.name) v \(match.away.name)"
            competition = match.competition
        }

        public var displayRepresentation: DisplayRepresentation {
            DisplayRepresentation(title: "\(title)", subtitle: "\(competition)")
        }

        var matchID: MatchID {
            get throws(IntentProblem) {
                guard let match = MatchID(id) else { throw IntentProblem("There is no such match.") }
                return match
            }
        }
    }

    /// Finds the matches that a person chooses or names, with the assistant that the app registered.
    public struct MatchQuery: EntityStringQuery {
        @AppDependency private var assistant: MatchAssistant

        public init() {}

        public func entities(for identifiers: [String]) async throws -> [MatchEntity] {
            var found: [MatchEntity] = []
            for id in identifiers.compactMap({ MatchID($0) }) {
                if let match = try await assistant.match(id) { found.append(MatchEntity(match)) }
            }
            return found
        }

        public func entities(matching string: String) async throws -> [MatchEntity] {
            try await assistant.matches(named: string).map { MatchEntity($0) }
        }

        public func suggestedEntities() async throws -> [MatchEntity] {
            try await assistant.matches().map { MatchEntity($0) }
        }
    }

    /// An error whose sentence the system speaks or shows.
    struct IntentProblem: Error, CustomLocalizedStringResourceConvertible {
        private let sentence: String

        init(_ sentence: String) { self.sentence = sentence }

        var localizedStringResource: LocalizedStringResource { "\(sentence)" }
    }
#endif
