extension Tape {
    /// One frame as an element of `/livescores` or the value of `/fixtures/{id}`: the provider's JSON object.
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
        TapeRenderer(self, frame: index, clock: clock, includes: includes, rowsBehind: rowsBehind).fixture()
    }

    /// The whole answer of `/livescores` in which this is the only match.
    public func livescores(_ index: Int, clock: TapeClock, includes: FixtureIncludes = .all) -> [UInt8] {
        var json = JSONBytes()
        json.object {
            $0.key("data")
            $0.array { json in
                if frames[index].isListed { json.raw(livescoreFixture(index, clock: clock, includes: includes)) }
            }
        }
        return json.bytes
    }
}
