public import SportMonks

/// Where the schedule comes from.
public protocol FixtureSource: Sendable {
    /// All fixtures that start on the days from `from` to `to`, both included.
    /// - Parameters: seconds since 1970.
    func fixtures(from: Int, to: Int) async throws -> FixtureSpan
}

/// A complete answer of the provider for a span of days.
public struct FixtureSpan: Sendable {
    public var fixtures: [SlimFixture]
    /// What could not be read, a line each.
    public var problems: [String]
    /// How many calls it took.
    public var calls: Int

    public init(fixtures: [SlimFixture], problems: [String] = [], calls: Int) {
        self.fixtures = fixtures
        self.problems = problems
        self.calls = calls
    }
}
