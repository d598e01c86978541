import Sightscreen
import Tapes

/// A dirty tape against the clean one: the same events stand at the end, the same state is shown, and on the way no
/// alert came that should not have.
struct DirtyCheck: Sendable {
    let subject: ConformanceSubject
    let clean: ReplayRun
    let variant: TapeVariant
    let seed: UInt64

    func report() -> ConformanceReport {
        let run = ReplayRun(subject.file.tape(variant, seed: seed))
        var failures = run.problems
        failures += Difference.lines(expected: clean.final, found: run.final)
        if run.state != clean.state { failures.append(Difference.states(clean.state, run.state)) }
        if run.totals != clean.totals { failures.append("totals \(run.totals), clean \(clean.totals)") }
        failures += wickets(of: run)
        if Self.truthful.contains(variant), run.retractedDeliveries > 0 {
            failures.append("\(run.retractedDeliveries) lines were taken back, though no ball was ever wrong")
        }
        return ConformanceReport(
            title: "\(subject.file.id) \(variant.rawValue) seed \(seed)",
            command: "detection-lab events \(subject.file.path) --variant \(variant.rawValue) --seed \(seed)",
            run: run, failures: failures)
    }

    /// Where no poll came late, every wicket was announced, and last of all on the ball on which it really fell: also of
    /// a batter who was given out wrongly before.
    private func wickets(of run: ReplayRun) -> [String] {
        guard !Self.late.contains(variant) else { return [] }
        return Self.fallen(clean).subtracting(Self.lastTold(run)).sorted().map { "never announced: wicket of \($0)" }
    }

    /// Variants whose every frame was true at some moment: no ball has anything to be taken back.
    private static let truthful: Set<TapeVariant> = [.batching, .repeats, .stale, .gaps, .flaps]

    /// Variants in which a ball may be seen when it is no news any more.
    private static let late: Set<TapeVariant> = [.batching, .gaps, .storm]

    private static func fallen(_ run: ReplayRun) -> Set<String> {
        Set(run.announced.filter { $0.kind == .wicket }.map(name))
    }

    private static func lastTold(_ run: ReplayRun) -> Set<String> {
        var last: [String: String] = [:]
        for event in run.announced where event.kind == .wicket {
            last["\(event.innings ?? 0) \(event.playerID ?? 0)"] = name(event)
        }
        return Set(last.values)
    }

    private static func name(_ event: MatchEvent) -> String {
        "player \(event.playerID ?? 0) in innings \(event.innings ?? 0) at \(event.ball ?? "-")"
    }
}
