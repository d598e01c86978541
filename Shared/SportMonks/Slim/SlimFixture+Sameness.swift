extension SlimFixture {
    /// Whether the two show the same match state. Times of rows do not count: the provider updates rows that have not
    /// changed.
    public func tellsTheSame(as other: SlimFixture) -> Bool {
        // Arrays that share storage are not compared element by element.
        if self == other { return true }
        guard balls.count == other.balls.count, runs.count == other.runs.count else { return false }
        return withoutTimes == other.withoutTimes
    }

    private var withoutTimes: SlimFixture {
        var fixture = self
        for place in fixture.runs.indices { fixture.runs[place].updatedAt = nil }
        for place in fixture.balls.indices { fixture.balls[place].updatedAt = 0 }
        return fixture
    }
}
