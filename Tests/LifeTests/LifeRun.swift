import LACoordinator
import Activities
import Postgres
import SightscreenModels
import TestKit
import Testing

@testable import Store

/// Random lives in a database and as values, side by side.
struct LifeRun {
    private(set) var reports: [String] = []
    /// How often a life was compared.
    private(set) var compared = 0
    /// How often each kind of thing happened.
    private(set) var counts: [String: Int] = [:]

    private var cases: [LifeCase]
    private var matches: [LifeMatch]
    private let harness: LifeHarness
    private var random: SeededGenerator
    private var now: Moment
    private let end: Moment
    /// So many differences are told before it stops.
    private let reportsMax: Int

    init(
        seed: UInt64, begin: Moment, matches: Int, perMatch: Int, reportsMax: Int = 12, _ pool: PostgresPool,
        _ clock: LifeClock
    ) async throws {
        self.reportsMax = reportsMax
        random = SeededGenerator(seed: seed)
        now = begin
        // Before anything is purged.
        end = begin + .seconds(47 * 3_600)
        cases = (0..<matches * perMatch).map { number in
            LifeCase(
                number: number, match: number % matches, matchID: MatchID(Int64(number % matches + 1)), begin: begin,
                seed: seed)
        }
        let leases: [Lease]
        (harness, leases) = try await LifeHarness.make(pool, clock, matches: matches, users: cases.map(\.user))
        self.matches = leases.enumerated().map { place, lease in
            LifeMatch(id: MatchID(Int64(place + 1)), lease: lease, isSteady: place % 3 != 0)
        }
        for match in self.matches { try await match.schedule("NS", pool) }
    }

    mutating func play(steps: Int) async throws {
        for step in 0..<steps where reports.count < reportsMax {
            // With three seconds for a step: around the bounds of leases, waits and ages.
            let waits = [27, 28, 57, 58, 116, 117, 118, 177, 236, 237, 300, 477, 597]
            let middle = steps * 2 / 3
            let some = step <= middle ? waits.prefix(11) : waits.dropFirst(3)
            var wait = Duration.seconds(some.randomElement(using: &random) ?? 1)
            // Activities grow old.
            if step == middle { wait = .seconds(7 * 3_600 + 25 * 60) }
            if now + wait + .seconds(10) < end { now = now + wait }
            // The tables grow faster than their statistics are made.
            try await harness.pool.execute("ANALYZE live_activities, devices, match_follows, active_matches")
            try await sendStarts()
            try await sendEnds()
            try await compare("claims", withPhone: false)
            try await tick()
            try await changeMatches()
            try await tick()
            try await letThingsHappen()
            try await compare("events", withPhone: false)
            try await tick()
            try await pass()
            try await compare("the pass", withPhone: true)
        }
    }

    private mutating func tick() async throws {
        now = now + .seconds(1)
        try await harness.clock.set(now)
    }

    private mutating func count(_ what: String) { counts[what, default: 0] += 1 }

    // MARK: - Comparing

    private mutating func compare(_ what: String, withPhone: Bool) async throws {
        let lines = try await harness.lines()
        for place in cases.indices where !cases[place].isBroken {
            let one = cases[place]
            func part(_ text: String) -> [Substring] {
                text.split(separator: "\n").filter { withPhone || !$0.hasPrefix("phone") }
            }
            compared += 1
            let (rule, rows) = (part(LifeLine.text(one.life, now)), part(lines[one.user.rawValue] ?? ""))
            if rule != rows {
                differs(
                    place, what, "rule:\n\(rule.joined(separator: "\n"))\nSQL:\n\(rows.joined(separator: "\n"))")
            }
        }
    }

    private mutating func differs(_ place: Int, _ what: String, _ difference: String) {
        guard !cases[place].isBroken else { return }
        cases[place].isBroken = true
        let story = cases[place].story.suffix(14).joined(separator: "\n")
        reports.append(
            "case \(place), \(cases[place].life.phase), \(now.seconds), after \(what)\n\(story)\n\(difference)")
    }

    // MARK: - Coordinators

    private mutating func sendStarts() async throws {
        try await harness.clock.set(now)
        let sent = try await harness.sent()
        let claims = Dictionary(
            try await harness.claimStarts().map { ($0.key.userID, $0) }, uniquingKeysWith: { first, _ in first })
        var answers: [(Int, LifeEvent)] = []
        for place in cases.indices where !cases[place].isBroken {
            let one = cases[place]
            let claim = claims[one.user]
            let event = LifeEvent.startDue(
                claim?.startID ?? StartID("none"), sent: sent[one.user.rawValue] ?? ModelStarts.Sent())
            let (life, intents) = LifeDifferences.asIfInPlay(one.life) { $0.handle(event, at: now) }
            let pushed = intents.map(\.start)
            let claimed = claim.map { ["\($0.isRenewal) \($0.token.rawValue) until \($0.leaseUntil)"] } ?? []
            if claim != nil || !intents.isEmpty { cases[place].story.append("\(now.seconds) \(event)") }
            cases[place].life = life
            if pushed != claimed { differs(place, "a claim", "rule starts \(pushed)\nSQL claims \(claimed)") }
            if sent[one.user.rawValue] != nil { count("budget used up") }
            guard let claim else { continue }
            count(claim.isRenewal ? "renewal" : "start")
            cases[place].starts.append(claim)
            if cases[place].chance(0.5), let event = cases[place].startAnswer(now) { answers.append((place, event)) }
        }
        try await execute(answers)
    }

    private mutating func sendEnds() async throws {
        var claims = Dictionary(grouping: try await harness.claimEnds(), by: \.key.userID)
        var answers: [(Int, LifeEvent)] = []
        for place in cases.indices where !cases[place].isBroken {
            let mine = claims.removeValue(forKey: cases[place].user) ?? []
            let before = cases[place].life
            let intents = cases[place].apply(.endDue, now)
            if before == cases[place].life { cases[place].story.removeLast() }
            let pushed = intents.map(\.end).sorted()
            let claimed = mine.map { "\($0.lingers) \($0.token.rawValue)" }.sorted()
            if pushed != claimed { differs(place, "a claim", "rule ends \(pushed)\nSQL claims \(claimed)") }
            for claim in mine { count(claim.lingers ? "lingering end" : "end") }
            cases[place].ends += mine
            if !mine.isEmpty, cases[place].chance(0.7), let event = cases[place].endAnswer() {
                answers.append((place, event))
            }
        }
        try await execute(answers)
    }

    // MARK: - Matches, phones and users

    private mutating func changeMatches() async throws {
        for place in matches.indices {
            if random.chance(0.02) {
                try await matches[place].schedule("Postp.", harness.pool)
                count("postponed")
            }
            guard let phase = matches[place].next(&random) else { continue }
            try await matches[place].become(phase, harness.pool, &random)
            count("match \(phase)")
            for one in cases.indices where cases[one].match == place { _ = cases[one].apply(.matchBecame(phase), now) }
        }
    }

    private mutating func letThingsHappen() async throws {
        var work: [(Int, LifeEvent)] = []
        for place in cases.indices where !cases[place].isBroken {
            if let event = cases[place].happening(now) { work.append((place, event)) }
        }
        try await execute(work)
    }

    /// At most one event of each case, many at a time: their statements meet each other as they do in a gateway.
    private mutating func execute(_ work: [(Int, LifeEvent)]) async throws {
        let harness = harness
        for start in stride(from: 0, to: work.count, by: 64) {
            var expected: [(Int, LifeEvent, [LifeIntent], LifeCase)] = []
            for (place, event) in work[start..<min(start + 64, work.count)] {
                count(event.name)
                // What came of it is asked of the life as it was before.
                let one = cases[place]
                let intents = cases[place].apply(event, now)
                countCards(one.life, cases[place].life)
                expected.append((place, event, intents, one))
            }
            var answers: [Int: LifeHarness.Answer] = [:]
            try await withThrowingTaskGroup(of: (Int, LifeHarness.Answer).self) { group in
                for (place, event, _, one) in expected {
                    group.addTask { (place, try await harness.execute(event, of: one)) }
                }
                for try await (place, answer) in group { answers[place] = answer }
            }
            for (place, event, intents, _) in expected {
                let pushes = intents.contains { if case .pushState = $0 { true } else { false } }
                let answer = answers[place] ?? LifeHarness.Answer()
                if pushes != answer.pushesState || intents.contains(.unfollow) != answer.unfollows {
                    differs(place, "\(event)", "rule: \(intents)\nSQL: \(answer)")
                }
            }
        }
    }

    private mutating func countCards(_ before: LifeModel, _ after: LifeModel) {
        let (old, new) = (before.generations.first?.card, after.generations.first?.card)
        guard old != new else { return }
        if let new { return count("card \(new)") }
        count(after.current?.status == .active ? "card found" : "card lost")
    }

    // MARK: - The orchestrator

    private mutating func pass() async throws {
        let sent = try await harness.sent()
        let (ended, pushes) = try await harness.pass()
        for place in matches.indices where ended.contains(matches[place].id) {
            matches[place].phase = .ended
            count("match ended")
            for one in cases.indices where cases[one].match == place { _ = cases[one].apply(.matchBecame(.ended), now) }
        }
        for place in cases.indices where !cases[place].isBroken {
            let before = cases[place].life
            let intents = cases[place].apply(.passDue, now)
            if before == cases[place].life { cases[place].story.removeLast() }
            if sent[cases[place].user.rawValue] != nil {
                LifeDifferences.withoutNewGeneration(&cases[place].life, than: before.generations.count)
            }
            let expected = Set(
                intents.compactMap { intent -> StartFallback.Step? in
                    switch intent {
                    case .silentPush: .silent
                    case .visiblePush: .visible
                    default: nil
                    }
                })
            let left = pushes[cases[place].user.rawValue] ?? []
            for push in left { count("fallback \(push)") }
            if expected != left {
                differs(place, "the pass", "rule pushes \(intents)\nSQL \(String(describing: left))")
            }
        }
    }
}

extension LifeIntent {
    fileprivate var start: String {
        switch self {
        case .startPush(_, let token, let until): "false \(token.rawValue) until \(until.seconds)"
        case .renewalPush(_, let token, let until): "true \(token.rawValue) until \(until.seconds)"
        default: "\(self)"
        }
    }

    fileprivate var end: String {
        if case .endPush(let token, let dismissal) = self { return "\(dismissal == .linger) \(token.rawValue)" }
        return "\(self)"
    }
}

extension LifeEvent {
    fileprivate var name: String { String("\(self)".prefix { $0 != "(" }) }
}
