import SightscreenModels
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
        failures += Difference.lines(expected: knowable(clean.final), found: knowable(run.final))
        if run.state != clean.state { failures.append(Difference.states(clean.state, run.state)) }
        if run.totals != clean.totals { failures.append("totals \(run.totals), clean \(clean.totals)") }
        failures += wickets(of: run)
        if Self.faithful.contains(variant) {
            failures += Dictionary(grouping: run.announced, by: \.key).filter { $0.value.count > 1 }.keys.sorted().map {
                "\($0) was announced more than once, though no ball was ever wrong"
            }
        }
        if Self.faithful.contains(variant), run.corrections > 0 {
            failures.append("\(run.corrections) corrections were told, though no ball was ever wrong")
        }
        if Self.truthful.contains(variant), run.retractedDeliveries > 0 {
            failures.append("\(run.retractedDeliveries) lines were taken back, though no ball was ever wrong")
        }
        return ConformanceReport(
            title: "\(subject.file.id) \(variant.rawValue) seed \(seed)",
            command: "detection-lab events \(subject.file.path) --variant \(variant.rawValue) --seed \(seed)",
            run: run, failures: failures)
    }

    /// No frame says when a penalty was awarded: where polls are missing, what was needed before the last over is not
    /// known.
    private func knowable(_ lines: [String: Int]) -> [String: Int] {
        guard Self.late.contains(variant) else { return lines }
        let doubtful = clean.penalized.map { "{\"innings\":\($0),\"" }
        return lines.filter { line, _ in
            !line.contains("\"event\":\"closeFinish\"") || !doubtful.contains { line.hasPrefix($0) }
        }
    }

    /// Where no poll came late, every wicket was announced, and last of all on the ball on which it really fell: also
    /// of a batter who was given out wrongly before.
    private func wickets(of run: ReplayRun) -> [String] {
        guard !Self.late.contains(variant) else { return [] }
        let told = Self.lastTold(run)
        return Self.wicketsAnnounced(clean).filter { event in
            guard let last = told[Self.batter(event)] else { return true }
            // From the rows alone a wicket is told before its ball is there, of the ball before.
            return last.ballID != nil && last.ball != event.ball
        }.map { "never announced: wicket of \(Self.batter($0)) at \($0.ball ?? "-")" }
    }

    /// Variants in which every ball is right from the start, though rows may come before or after it.
    private static let faithful: Set<TapeVariant> = truthful.union([.torn, .lateResult])

    /// Variants whose every frame was true at some moment: no ball has anything to be taken back.
    private static let truthful: Set<TapeVariant> = [.batching, .repeats, .stale, .gaps, .flaps]

    /// Variants in which a ball may be seen when it is no news any more.
    private static let late: Set<TapeVariant> = [.batching, .gaps, .storm]

    private static func wicketsAnnounced(_ run: ReplayRun) -> [MatchEvent] {
        run.announced.filter { $0.kind == .wicket }
    }

    private static func lastTold(_ run: ReplayRun) -> [String: MatchEvent] {
        Dictionary(wicketsAnnounced(run).map { (batter($0), $0) }, uniquingKeysWith: { _, last in last })
    }

    private static func batter(_ event: MatchEvent) -> String {
        "player \(event.playerID ?? 0) in innings \(event.innings ?? 0)"
    }
}
