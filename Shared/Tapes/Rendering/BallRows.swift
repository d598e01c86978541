import SportMonks

/// The ball rows of a tape as JSON. A row is written once and copied from then on: balls are nearly all of an answer,
/// and the same from frame to frame.
struct BallRows: Sendable {
    private let tape: Tape
    private let clock: TapeClock
    private let includes: FixtureIncludes
    /// The ids of the batting sides, by the index of the innings.
    private let teams: [[UInt8]]
    /// The true rows of all steps so far, each with a comma in front; `ends` has the offset where each step's rows end.
    private var rows: [UInt8] = []
    private var ends: [Int] = []

    init(_ tape: Tape, clock: TapeClock, includes: FixtureIncludes) {
        self.tape = tape
        self.clock = clock
        self.includes = includes
        teams = tape.match.innings.map { tape.json(team: $0.team) }
    }

    /// The approximate number of bytes of a view's rows.
    mutating func bytes(of view: TapeView) -> Int {
        extend(to: view.steps)
        return end(of: view.steps) + view.edits.count * 4_096
    }

    /// Writes the rows of a view as the elements of an array.
    mutating func write(_ view: TapeView, into json: inout JSONBytes) {
        extend(to: view.steps)
        var written = 0
        for edit in view.edits where edit.isPhantom || edit.step < view.steps {
            let step = min(edit.step, view.steps)
            json.elements(rows[end(of: written)..<end(of: step)])
            row(&json, edit.delivery, postedAt: edit.postedAt)
            written = edit.isPhantom ? step : step + 1
        }
        json.elements(rows[end(of: written)..<end(of: view.steps)])
    }

    /// The offset where the rows of the first `steps` steps end.
    private func end(of steps: Int) -> Int { steps == 0 ? 0 : ends[steps - 1] }

    private mutating func extend(to steps: Int) {
        for step in ends.count..<max(steps, ends.count) {
            if case .delivery(let position) = tape.steps[step] {
                var json = JSONBytes()
                row(&json, tape.deliveries[position], postedAt: tape.stepOffsets[step])
                rows.append(0x2c)
                rows.append(contentsOf: json.bytes)
            }
            ends.append(rows.count)
        }
    }

    private func row(_ json: inout JSONBytes, _ delivery: TapeDelivery, postedAt: Int) {
        let score = delivery.score
        json.object {
            $0.field("resource", "balls")
            $0.field("id", tape.ids.ball(delivery.running))
            $0.field("fixture_id", tape.id)
            $0.field("team_id", tape.battingTeamID(delivery.innings))
            $0.field("ball", raw: delivery.label)
            $0.field("scoreboard", "S\(delivery.innings + 1)")
            $0.field("batsman_one_on_creeze_id", delivery.slots.0)
            $0.field("batsman_two_on_creeze_id", delivery.slots.1)
            $0.field("batsman_id", delivery.striker)
            $0.field("bowler_id", delivery.bowler)
            $0.field("batsmanout_id", delivery.wicket?.player)
            $0.field("catchstump_id", delivery.catcher)
            $0.field("runout_by_id", delivery.runOutBy)
            $0.field("score_id", score.id)
            $0.field("batsman", raw: tape.people.json(delivery.striker))
            $0.field("bowler", raw: tape.people.json(delivery.bowler))
            $0.key("score")
            $0.object {
                $0.field("resource", "scores")
                $0.field("id", score.id)
                $0.field("name", score.name)
                $0.field("runs", score.runs)
                $0.field("four", score.four)
                $0.field("six", score.six)
                $0.field("bye", score.bye)
                $0.field("leg_bye", score.legBye)
                $0.field("noball", score.noBall)
                $0.field("noball_runs", score.noBallRuns)
                $0.field("is_wicket", score.isOut)
                $0.field("ball", score.isBall)
                $0.field("out", score.isOut)
            }
            $0.field("team", raw: teams[delivery.innings])
            $0.field("updated_at", ProviderTime.text(clock.time(of: postedAt)))
            for (name, player) in [
                ("batsmanone", delivery.slots.0), ("batsmantwo", delivery.slots.1),
                ("batsmanout", delivery.wicket?.player), ("catchstump", delivery.catcher),
                ("runoutby", delivery.runOutBy),
            ] where includes.has("balls.\(name)") {
                $0.field(name, raw: tape.people.json(player))
            }
        }
    }
}
