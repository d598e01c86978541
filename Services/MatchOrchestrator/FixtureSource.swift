public import SightscreenModels
public import SportMonks

/// A source of the schedule.
public protocol FixtureSource: Sendable {
    /// Returns all fixtures that start on the days from `from` to `to`, both included.
    /// - Parameters:
    ///   - from: a moment of the first day, seconds since 1970.
    ///   - to: a moment of the last day, seconds since 1970.
    func fixtures(from: Int, to: Int) async throws -> FixtureSpan

    /// Asks for one fixture by itself.
    func fixture(_ id: MatchID) async throws -> SingleFixture
}

/// The answer of the provider to the question for one fixture.
public enum SingleFixture: Sendable {
    case fixture(SlimFixture)
    /// The provider has it, and the row cannot be read: the reason.
    case unread(String)
    case notFound

    var isNotFound: Bool { if case .notFound = self { true } else { false } }
}

/// A complete answer of the provider for a span of days.
public struct FixtureSpan: Sendable {
    public var fixtures: [SlimFixture]
    /// The fixtures with rows that could not be read: they are listed, even if they are not among `fixtures`.
    public var named: [MatchID]
    /// Whether each row says at least which fixture it is, so that a fixture without a row is not listed.
    public var namesAll: Bool
    /// The rows that could not be read, one line each.
    public var problems: [String]
    /// The number of calls that the answer took.
    public var calls: Int

    package init(
        fixtures: [SlimFixture], named: [MatchID] = [], namesAll: Bool = true, problems: [String] = [], calls: Int
    ) {
        self.fixtures = fixtures
        self.named = named
        self.namesAll = namesAll
        self.problems = problems
        self.calls = calls
    }
}
