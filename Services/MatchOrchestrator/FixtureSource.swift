public import SportMonks

/// A source of the schedule.
public protocol FixtureSource: Sendable {
    /// Returns all fixtures that start on the days from `from` to `to`, both included.
    /// - Parameters:
    ///   - from: a moment of the first day, seconds since 1970.
    ///   - to: a moment of the last day, seconds since 1970.
    func fixtures(from: Int, to: Int) async throws -> FixtureSpan
}

/// A complete answer of the provider for a span of days.
public struct FixtureSpan: Sendable {
    public var fixtures: [SlimFixture]
    /// The rows that could not be read, one line each.
    public var problems: [String]
    /// The number of calls that the answer took.
    public var calls: Int

    package init(fixtures: [SlimFixture], problems: [String] = [], calls: Int) {
        self.fixtures = fixtures
        self.problems = problems
        self.calls = calls
    }
}
