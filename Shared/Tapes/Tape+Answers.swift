extension Tape {
    /// One frame as an element of `/livescores` or the value of `/fixtures/{id}`: the provider's JSON object.
    ///
    /// - Parameters:
    ///   - index: of the frame.
    ///   - clock: gives `starting_at` and every `updated_at`.
    ///   - includes: what is embedded; balls are the bulk of it.
    public func livescoreFixture(
        _ index: Int, clock: TapeClock, includes: FixtureIncludes = .all
    ) -> [UInt8] {
        TapeRenderer(self, frame: index, clock: clock, includes: includes).fixture()
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
