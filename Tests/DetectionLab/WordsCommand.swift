import ArgumentParser
import FoundationEssentials
import Replay
import Tapes

/// `detection-lab words`: what fans read over whole matches, counted and checked; or every alert or card of one match,
/// to be read.
struct WordsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "words",
        abstract: "Checks what fans read over whole matches, or prints the alerts or cards of one.")

    @Option(help: "The folder of the matches (Cricsheet's JSON).") var matches = "Tests/Fixtures/matches"
    @Option(help: "Prints the alerts of this match instead, for a person to read.") var alerts: String?
    @Option(help: "Prints the content states of this match instead, a line of JSON for each version.")
    var cards: String?
    @Option(help: "Replays at a time.") var jobs = 2

    /// The share of alerts that followers of `alerts: key` hear, in percent.
    static let keyShare = 25.0...45.0

    func validate() throws {
        guard jobs > 0 else { throw ValidationError("--jobs: \(jobs) is not above 0") }
    }

    private static func read(_ file: MatchFile) -> (alerts: AlertWords, cards: CardSizes) {
        let tape = file.tape()
        var (alerts, cards) = (AlertWords(tape), CardSizes())
        for step in TapeReplay(tape) {
            alerts.take(step)
            cards.take(step)
        }
        return (alerts, cards)
    }

    func run() async throws {
        if let alerts {
            for line in Self.read(try MatchFile(alerts)).alerts.readable { LabOutput.line(line) }
            return
        }
        if let cards {
            for line in Self.read(try MatchFile(cards)).cards.readable { LabOutput.line(line) }
            return
        }
        let files = try MatchFile.all(in: matches)
        let reports = await WorkPool.run(files, jobs: jobs) { Self.read($0) }
        for (file, (alerts, cards)) in zip(files, reports) {
            LabOutput.note("\(file.id): \(alerts.line)")
            LabOutput.note("\(file.id): \(cards.line)")
            for fault in (alerts.faults + cards.faults).prefix(12) {
                LabOutput.note("FAILED  words, \(file.id): \(fault)")
            }
        }
        var all = AlertWords.Counts()
        var cards = CardSizes.Counts()
        for report in reports {
            all += report.alerts.counts
            cards += report.cards.counts
        }
        let faults = reports.reduce(0) { $0 + $1.alerts.faults.count + $1.cards.faults.count }
        let isMet = faults == 0 && Self.keyShare.contains(all.keyShare) && cards.isMet
        LabOutput.line(
            """
            {"check":"words","matches":\(files.count),\(all.json),\(cards.json),"faults":\(faults),"met":\(isMet)}
            """)
        if !isMet { throw ExitCode.failure }
    }
}
