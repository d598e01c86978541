/// Renders the frames of one tape one after the other and copies the parts that did not change: a Test's two thousand
/// frames of megabytes take seconds. Any order of frames gives the same bytes; forward order is fast.
public struct TapeReel: Sendable {
    public let tape: Tape
    public let clock: TapeClock
    public let includes: FixtureIncludes
    private var scorebooks: ScorebookCache
    private var balls: BallRows

    /// - Parameters:
    ///   - clock: the source of `starting_at` and every `updated_at`.
    ///   - includes: the parts to embed; balls are the bulk of an answer.
    public init(_ tape: Tape, clock: TapeClock, includes: FixtureIncludes = .all) {
        self.tape = tape
        self.clock = clock
        self.includes = includes
        scorebooks = ScorebookCache(tape)
        balls = BallRows(tape, clock: clock, includes: includes)
    }

    /// One frame as an element of `/livescores` or the value of `/fixtures/{id}`: the provider's JSON object.
    ///
    /// - Parameters:
    ///   - index: the index of the frame.
    ///   - rowsBehind: the number of steps by which the rows lag behind the balls, as in a reply that is taken while
    ///     the scorer's entry is being stored.
    public mutating func fixture(_ index: Int, rowsBehind: Int = 0) -> [UInt8] {
        let frame = tape.frames[index]
        let figures = scorebooks.figures(of: late(frame.figures, by: rowsBehind))
        let totals =
            frame.totals == frame.figures ? figures : scorebooks.figures(of: late(frame.totals, by: rowsBehind))
        let renderer = TapeRenderer(
            tape: tape, frame: frame, clock: clock, includes: includes, figures: figures, totals: totals)
        let hasBalls = includes.has("balls")
        return renderer.fixture(bytes: 65_536 + (hasBalls ? balls.bytes(of: frame.balls) : 0)) {
            balls.write(frame.balls, into: &$0)
        }
    }

    /// The whole answer of `/livescores` with this as the only match.
    public mutating func livescores(_ index: Int) -> [UInt8] {
        guard tape.frames[index].isListed else { return Array(#"{"data":[]}"#.utf8) }
        let fixture = fixture(index)
        var json = JSONBytes(capacity: fixture.count + 16)
        json.object {
            $0.key("data")
            $0.array { $0.raw(fixture) }
        }
        return json.bytes
    }

    private func late(_ view: TapeView, by steps: Int) -> TapeView {
        guard steps > 0 else { return view }
        let shown = max(view.steps - steps, 0)
        return TapeView(
            steps: shown, edits: view.edits.filter { $0.step < shown },
            changedAt: shown == 0 ? 0 : tape.stepOffsets[shown - 1])
    }
}
