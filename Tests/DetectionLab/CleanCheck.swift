import SightscreenModels
import Tapes

/// A clean tape against the oracle: the same lines in the same order, the same totals, targets and result.
struct CleanCheck: Sendable {
    let subject: ConformanceSubject
    let ballsPerFrame: Int

    func report() -> ConformanceReport {
        let run = ReplayRun(subject.file.tape(), ballsPerFrame: ballsPerFrame)
        return ConformanceReport(
            title: "\(subject.file.id) clean, \(ballsPerFrame) balls per frame",
            command: "detection-lab events \(subject.file.path) --balls-per-frame \(ballsPerFrame)",
            run: run, failures: failures(of: run))
    }

    private func failures(of run: ReplayRun) -> [String] {
        var failures = run.problems
        let oracle = subject.oracle
        failures += Difference.lines(expected: oracle.counts, found: run.final)
        if run.retractions > 0 { failures.append("\(run.retractions) lines were taken back") }
        let (expected, told) = (oracle.lines.filter(Self.hasItsPlace), run.told.filter(Self.hasItsPlace))
        if failures.isEmpty, told != expected { failures.append(Difference.order(expected, told)) }
        if run.totals != oracle.totals { failures.append("totals \(run.totals), the data has \(oracle.totals)") }
        for target in oracle.summary.targets where run.targets[target.innings] != String(target.runs) {
            let shown = run.targets[target.innings] ?? "none"
            failures.append("innings \(target.innings) shows target \(shown), the data has \(target.runs)")
        }
        failures += result(of: run)
        if ballsPerFrame == 1 { failures += alerts(of: run) }
        return failures
    }

    /// A wicket that no ball shows comes after its ball's other events or among them, as the frames have it; and what
    /// the last over needs may be known before who comes in to bat in it.
    private static func hasItsPlace(_ line: String) -> Bool {
        if line.contains("\"event\":\"closeFinish\"") { return false }
        return line.contains("\"bowler\":") || !line.contains("\"event\":\"wicket\"")
    }

    private func result(of run: ReplayRun) -> [String] {
        let shown = run.state?.expanded.status ?? "none"
        guard !ResultWording.agrees(shown, with: subject.oracle.summary) else { return [] }
        return ["the result shown is \"\(shown)\", the data has \"\(subject.oracle.summary.result)\""]
    }

    /// Ball by ball nothing overtakes anything: every event that alerts has alerted, once. Only the end of a declared
    /// innings needs a second look, which a tape without repeats does not give within the time that an alert is fresh;
    /// and what can lead to nothing any more is kept back: fire in a lost chase, a hat-trick at the end of an innings.
    private func alerts(of run: ReplayRun) -> [String] {
        var wanted = Self.alerting
        if !subject.oracle.isLong { wanted.append("maidenOver") }
        let unknown = Set(run.announced.map(\.kind.rawValue)).subtracting(wanted + Self.ofStatus)
        if !unknown.isEmpty { return unknown.sorted().map { "alerts of kind \($0), which is not in CleanCheck" } }
        return wanted.compactMap { kind in
            let told = run.told.count { $0.contains("\"event\":\"\(kind)\"") && !Self.isToldByBreak($0, kind) }
            let announced = run.announced.count { $0.kind.rawValue == kind }
            let isDoubtful =
                Self.mayBeVain.contains(kind) || kind == "inningsBreak" && subject.oracle.isFirstClass
            guard isDoubtful ? announced > told : announced != told else { return nil }
            return "\(announced) alerts for \(told) events of kind \(kind)"
        }
    }

    private static let alerting = [
        "wicket", "milestone", "inningsBreak", "matchResult", "onHatTrick", "hatTrick", "batterOnFire", "bowlerOnFire",
        "fiveWickets", "closeFinish", "toss", "targetRevised",
    ]
    /// The tape's, of which the oracle knows nothing.
    private static let ofStatus = ["stumps", "suspended", "resumed"]
    private static let mayBeVain: Set<String> = ["onHatTrick", "batterOnFire", "bowlerOnFire"]

    /// Whether the line is of a super over's close finish: the break before it tells what is needed.
    private static func isToldByBreak(_ line: String, _ kind: String) -> Bool {
        kind == "closeFinish" && !line.contains("\"innings\":2,")
    }
}
