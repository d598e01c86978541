import OperatorTool
import Postgres
import SightscreenModels
import TestKit
import Testing

/// One real T20, ball by ball, through the real executables to five phones.
@Suite struct WholeMatchTests {
    static let match: Int64 = 1_304_076

    @Test(.timeLimit(.minutes(15))) func everyBallReachesEveryLockScreen() async throws {
        let collector = try CollectorStub()
        defer { collector.stop() }
        let settings = ["OTEL_EXPORTER_OTLP_ENDPOINT": collector.url, "LOG_LEVEL": "debug"]
        try await RunningSuite.with(speed: 40, settings: settings) { suite in
            let fleet = try suite.fleet([("asha", 2), ("ben", 2), ("chitra", 1)])
            let id = try await suite.prepare(Self.match, fleet, speed: 40)
            let scorecard = try Scorecard(path: "\(RunningSuite.checkout)/Tests/Fixtures/matches/\(Self.match).json")

            let wrong = try await step(through: scorecard, id, suite, fleet)
            #expect(wrong == [], "the display state equals the real score after every over")

            try await eventually("every activity is ended", within: .seconds(60)) {
                try await fleet.receive()
                return await fleet.phones.allSatisfy { $0.activities.last?.endedAt != nil }
            }
            // Whatever came after the end would be in the history as a dropped push.
            try await Task.sleep(for: .seconds(3))
            try await fleet.receive()

            let phones = await fleet.phones
            let history = await fleet.history
            #expect(await fleet.problems == [])
            try checkLife(phones, history)
            checkPriorities(history)
            try await checkAlerts(history, phones: phones.count, scorecard: scorecard, suite: suite, id: id)
            try await MetricsCheck(suite).check()
            try await checkTraces(collector, suite, id, phones: phones.map(\.device))
        }
    }

    /// Shows frame after frame, each when all phones hold what the one before it led to.
    /// - Returns: what was not as it should be after an over.
    private func step(
        through scorecard: Scorecard, _ id: MatchID, _ suite: RunningSuite, _ fleet: PhoneFleet
    ) async throws -> [String] {
        var wrong: [String] = []
        var delivery = 0
        while true {
            let position = try await suite.tape.step(id)
            let next = delivery < scorecard.deliveries.count ? scorecard.deliveries[delivery] : nil
            // A frame after a delivery is labelled with its innings, ball and score; others are phases.
            let isDelivery = position.isDelivery
            if isDelivery, let next {
                delivery += 1
                try await eventually(
                    "the state shows \(next.score) (\(next.overs)), frame \(position.label)", within: .seconds(20)
                ) {
                    let state = try await suite.committed(id)
                    return state?.expanded.innings.last?.score == next.score
                        && state?.expanded.innings.last?.overs == next.overs
                }
            } else {
                // A phase has no score to wait for: two polls and a commit are over in this time.
                try await Task.sleep(for: .milliseconds(1_500))
            }
            try await hold(id, suite, fleet, label: position.label)
            if isDelivery, let next, next.endsOver || next.isLastOfInnings {
                for phone in await fleet.phones {
                    let shown = phone.activities.last?.state.expanded.innings.last
                    if shown?.score != next.score || shown?.overs != next.overs {
                        wrong.append("\(phone.device) shows \(shown?.score ?? "-") for \(next.score) (\(next.overs))")
                    }
                }
            }
            if position.cursor >= position.frames { break }
        }
        #expect(delivery == scorecard.deliveries.count, "the tape shows every delivery of the match")
        return wrong
    }

    /// Waits until every phone that has an activity shows the newest committed version.
    private func hold(_ id: MatchID, _ suite: RunningSuite, _ fleet: PhoneFleet, label: String) async throws {
        try await eventually("all phones hold the newest version (\(label))", within: .seconds(20)) {
            try await fleet.receive()
            guard let newest = try await suite.committed(id) else { return true }
            // Before play nothing is on a Lock Screen.
            if newest.matchDisplayState == .scheduled { return true }
            // A routine update may be cut: it shows the version and the score, and nothing that is not so.
            return await fleet.phones.allSatisfy { phone in
                guard let shown = phone.activities.last?.state else { return false }
                return shown.version == newest.version && shown.compactLeading == newest.compactLeading
                    && shown.compactTrailing == newest.compactTrailing
                    && shown.expanded.innings == newest.expanded.innings
                    && shown.expanded.status == newest.expanded.status
            }
        }
    }

    /// Each version can be followed from the provider's answer to the last phone, and through the logs.
    private func checkTraces(
        _ collector: CollectorStub, _ suite: RunningSuite, _ id: MatchID, phones: [DeviceID]
    ) async throws {
        let newest = try #require(try await suite.committed(id)).version
        let traces = try await TraceCheck.wait(for: collector, id, last: newest)
        let written = try await suite.database.query(
            """
            SELECT version::text AS version, trunc(extract(epoch FROM committed_at) * 1000000)::bigint * 1000 AS at
            FROM match_updates WHERE match_id = $1
            """, [.int(id.rawValue)]
        ).map { (try $0.string("version"), try $0.int64("at")) }
        try traces.checkWickets(phones: phones.count, written: Dictionary(uniqueKeysWithValues: written))
        traces.checkWholeness()
        traces.checkRequests(secrets: phones.map(\.rawValue) + ["asha", "ben", "chitra"])
        let last = try #require(traces.spans.last { $0.name == "fan-out" })
        let lines = suite.log("la-coordinator").split(separator: "\n")
        #expect(lines.contains { $0.contains("Version fanned out") && $0.contains("trace.id=\(last.trace)") })
        #expect(suite.log("event-bus").contains("trace.id=\(last.trace)"))
    }

    private func checkLife(_ phones: [SimulatedPhone], _ history: [PhoneFleet.Entry]) throws {
        for phone in phones {
            #expect(phone.activities.count == 1, "\(phone.device): one start")
            let activity = try #require(phone.activities.first)
            // The end may have the stamp of the state that it repeats: a phone never drops an end.
            let updates = activity.shown.dropLast()
            #expect(zip(updates, updates.dropFirst()).allSatisfy { $0 < $1 }, "\(phone.device): \(updates)")
            #expect(try #require(activity.endedAt) >= #require(updates.last))
            #expect(activity.state.matchDisplayState == .completed)
            #expect(activity.state.expanded.status?.contains("won by 7 runs") == true)
            let ended = try #require(activity.endedAt)
            let dismissal = try #require(activity.dismissalDate)
            #expect(abs(dismissal - ended - 900) <= 2, "the end leaves it on the Lock Screen for 15 minutes")
        }
        let dropped = history.compactMap { entry -> String? in
            if case .dropped(let why) = entry.effect { why } else { nil }
        }
        #expect(dropped == [], "no phone was sent anything that it had to ignore")
        #expect(history.count { $0.delivery.payload?.aps.event == "start" } == phones.count)
        #expect(history.count { $0.delivery.payload?.aps.event == "end" } == phones.count)
        // The result is an update; the end comes later.
        for phone in phones.indices {
            let events = history.filter { $0.phone == phone }.map { $0.delivery.payload?.aps.event }
            #expect(events.last == "end" && events.first == "start")
            let result = history.last {
                $0.phone == phone && $0.delivery.payload?.aps.event == "update" && $0.delivery.payload?.aps.alert != nil
            }
            #expect(result?.delivery.payload?.aps.contentState?.matchDisplayState == .completed)
        }
    }

    private func checkPriorities(_ history: [PhoneFleet.Entry]) {
        for entry in history {
            let aps = entry.delivery.payload?.aps
            switch aps?.event {
            case "start", "end": #expect(entry.delivery.priority == 10)
            default:
                if aps?.alert != nil { #expect(entry.delivery.priority == 10) }
                #expect([5, 10].contains(entry.delivery.priority))
            }
        }
        // Silent pushes at priority 10 are the first state after a token and the last five overs of a chase.
        let silentImportant = history.filter {
            $0.delivery.payload?.aps.event == "update" && $0.delivery.payload?.aps.alert == nil
                && $0.delivery.priority == 10
        }
        for entry in silentImportant {
            let state = entry.delivery.payload?.aps.contentState
            let isFirst =
                history.first { $0.phone == entry.phone && $0.delivery.payload?.aps.event == "update" }?
                .delivery.seq == entry.delivery.seq
            let overs = state?.expanded.innings.last.flatMap { Double($0.overs) } ?? 0
            #expect(isFirst || (state?.expanded.innings.count == 2 && overs >= 15), "P10 without alert at \(overs)")
        }
    }

    /// One alert per event and phone: wickets with sound, the break, the result; none for a four, a six or an over.
    private func checkAlerts(
        _ history: [PhoneFleet.Entry], phones: Int, scorecard: Scorecard, suite: RunningSuite, id: MatchID
    ) async throws {
        var alerts: [Int: [(title: String, body: String, sound: String?, state: ContentState?)]] = [:]
        for entry in history {
            guard let aps = entry.delivery.payload?.aps, aps.event == "update", let alert = aps.alert else { continue }
            alerts[entry.phone, default: []].append(
                (alert.title, alert.body, alert.sound ?? aps.sound, aps.contentState))
        }
        for phone in 0..<phones {
            let told = alerts[phone] ?? []
            let texts = told.map { "\($0.title) \($0.body)" }
            #expect(Set(texts).count == texts.count, "nothing is told twice")
            let wickets = scorecard.deliveries.filter(\.isWicket)
            for wicket in wickets {
                let alert = told.first {
                    $0.state?.expanded.innings.last?.score == wicket.score
                        && $0.state?.expanded.innings.last?.overs == wicket.overs
                }
                #expect(alert != nil, "phone \(phone) was told of the wicket at \(wicket.score) (\(wicket.overs))")
            }
            #expect(told.count { $0.sound != nil } >= wickets.count / 2, "wickets have a sound")
            #expect(told.contains { $0.state?.matchDisplayState == .inningsBreak }, "the innings break is told")
            #expect(told.last?.state?.matchDisplayState == .completed, "the result is told last")
            #expect(told.allSatisfy { $0.sound == nil || $0.sound == "default" })
        }
        // An alert that says neither wicket nor milestone nor break must not come from a boundary alone.
        let rows = try await suite.database.query(
            "SELECT count(*) AS wrong FROM match_updates WHERE match_id = $1 AND alert->>'kind' IN ('four', 'six', 'endOfOver', 'dot', 'one', 'two', 'three', 'extras', 'newBatter', 'nineties', 'consecutiveSixes')",
            [.int(id.rawValue)])
        #expect(try rows[0].int("wrong") == 0)
    }
}

extension TapeControl.Position {
    /// "S1 12.3 87/6" rather than a phase such as "Innings Break".
    var isDelivery: Bool {
        let words = label.split(separator: " ")
        return words.count == 3 && words[0].first == "S" && words[2].contains("/") && words[1].contains(".")
    }
}
