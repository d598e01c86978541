import ArgumentParser
import FoundationEssentials
import HTTPClient
import LabAPI
import UnixSignals

/// `sightscreen watch`: a phone of device-lab in a terminal.
struct WatchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Shows the Lock Screen of one of device-lab's phones in the terminal, and what came of the match.",
        discussion:
            "The page at the same address shows all of them. Ends with the match: 0 when every Lock Screen was right.")

    @Option(help: "Where device-lab is.")
    var lab: String = "http://127.0.0.1:8090"

    @Option(help: "Which phone.")
    var phone: String = "phone-1"

    @Option(help: "A file whose new lines are shown above the Lock Screen: what `sightscreen up` has to say.")
    var notesFile: String?

    private static let interval = Duration.milliseconds(150)
    /// Longer than any break of a tape at any speed lets the phones wait, keep-alives included.
    private static let silenceMax = Duration.seconds(1_300)
    /// For a lab that is started at the same time, or anew.
    private static let answerMax = Duration.seconds(60)
    /// What comes after the end would be a fault: it has a moment to show.
    private static let settling = Duration.seconds(3)

    func run() async throws {
        let signals = await UnixSignalsSequence(trapping: .sigint, .sigterm)
        let status = try await withThrowingTaskGroup(of: Int32.self) { group in
            group.addTask {
                for await _ in signals { return 0 }
                return 0
            }
            group.addTask { try await watch() }
            defer { group.cancelAll() }
            return try await group.next() ?? 0
        }
        throw ExitCode(status)
    }

    private func watch() async throws -> Int32 {
        let base = lab.last == "/" ? String(lab.dropLast()) : lab
        let client = LabClient(base: base, http: HTTPClient(configuration: .init(allowHTTP: true)))
        var view = LockScreenView(isTerminal: Output.canRedraw(columns: LockScreenCard.outerWidth))
        var notes = notesFile.map { RunNotes.Reader(path: $0) }
        var lastNews = ContinuousClock.now
        var lastAnswer = ContinuousClock.now
        var hasAnswered = false
        var saidSilence = false
        while true {
            notes?.newLines().forEach { view.note($0) { Output.write($0) } }
            do {
                let (state, shown) = (try await client.lab(), try await client.phone(phone))
                lastAnswer = .now
                (hasAnswered, saidSilence) = (true, false)
                if view.show(shown, in: state, write: { Output.write($0) }) { lastNews = .now }
                if view.isOver(state) { break }
            } catch let failure as LabClient.Failure where failure.status == 404 {
                // Waiting brings no other phone.
                view.finish { Output.write($0) }
                Output.error("sightscreen watch: \(await reason(failure, client))")
                return 1
            } catch {
                guard .now - lastAnswer < Self.answerMax else { throw error }
                // Once it has answered, a moment without an answer is nothing to speak of.
                if !saidSilence, !hasAnswered || .now - lastAnswer > .seconds(10) {
                    saidSilence = true
                    let seconds = Self.answerMax.components.seconds
                    view.note("Nobody answers at \(base) (\(error)); waiting up to \(seconds) s.") { Output.write($0) }
                }
            }
            guard .now - lastNews < Self.silenceMax else {
                view.note("Nothing has come for over 20 minutes; giving up.") { Output.write($0) }
                view.finish { Output.write($0) }
                return 1
            }
            try await Task.sleep(for: Self.interval)
        }
        try await Task.sleep(for: Self.settling)
        notes?.newLines().forEach { view.note($0) { Output.write($0) } }
        let state = try await client.lab()
        view.finish { Output.write($0) }
        let summary = MatchSummary(state: state, phones: try await client.phones())
        summary.lines.forEach { Output.line($0) }
        return summary.faults.isEmpty ? 0 : 1
    }

    /// Why there is nothing to watch.
    private func reason(_ failure: LabClient.Failure, _ client: LabClient) async -> String {
        guard let phones = try? await client.phones().map(\.id), !phones.contains(phone) else {
            return failure.description
        }
        guard let first = phones.first, let last = phones.last else { return "device-lab has no phones" }
        return "there is no phone \(phone); there are \(phones.count), from \(first) to \(last)"
    }
}
