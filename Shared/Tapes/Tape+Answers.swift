extension Tape {
    /// One frame as an element of `/livescores` or the value of `/fixtures/{id}`: the provider's JSON object. For many
    /// frames in a row, `TapeReel` is much faster.
    ///
    /// - Parameters:
    ///   - index: the index of the frame.
    ///   - clock: the source of `starting_at` and every `updated_at`.
    ///   - includes: the parts to embed; balls are the bulk of an answer.
    ///   - rowsBehind: the number of steps by which the rows lag behind the balls, as in a reply that is taken while
    ///     the scorer's entry is being stored.
    public func livescoreFixture(
        _ index: Int, clock: TapeClock, includes: FixtureIncludes = .all, rowsBehind: Int = 0
    ) -> [UInt8] {
        var reel = TapeReel(self, clock: clock, includes: includes)
        return reel.fixture(index, rowsBehind: rowsBehind)
    }

    /// The whole answer of `/livescores` with this as the only match.
    public func livescores(_ index: Int, clock: TapeClock, includes: FixtureIncludes = .all) -> [UInt8] {
        var reel = TapeReel(self, clock: clock, includes: includes)
        return reel.livescores(index)
    }
}
