extension Tape {
    /// One frame as an element of `/livescores` or the value of `/fixtures/{id}`: the provider's JSON object. For many
    /// frames in a row, `TapeReel` is much faster.
    ///
    /// - Parameters:
    ///   - index: of the frame.
    ///   - clock: gives `starting_at` and every `updated_at`.
    ///   - includes: what is embedded; balls are the bulk of it.
    ///   - rowsBehind: by how many steps the rows lag behind the balls, as in a reply that is taken while the scorer's
    ///     entry is being stored.
    public func livescoreFixture(
        _ index: Int, clock: TapeClock, includes: FixtureIncludes = .all, rowsBehind: Int = 0
    ) -> [UInt8] {
        var reel = TapeReel(self, clock: clock, includes: includes)
        return reel.fixture(index, rowsBehind: rowsBehind)
    }

    /// The whole answer of `/livescores` in which this is the only match.
    public func livescores(_ index: Int, clock: TapeClock, includes: FixtureIncludes = .all) -> [UInt8] {
        var reel = TapeReel(self, clock: clock, includes: includes)
        return reel.livescores(index)
    }
}
