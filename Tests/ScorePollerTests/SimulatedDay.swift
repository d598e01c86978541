import Cricket
import FoundationEssentials
import SightscreenModels
import SportMonks
import Tapes

@testable import Detection
@testable import ScorePoller

/// A day and a morning of a Test, with lunch, tea, a shower, rain and stumps, on a virtual clock: the provider shows real
/// balls at real times, the poller asks by production's settings, and detection reads what is offered to it.
struct SimulatedDay {
    /// What the provider shows of a match from a time on, in seconds since 1970.
    struct Entry {
        var time: Int
        var fixture: SlimFixture
        /// What is special about it.
        var moment = ""
    }

    /// A version with the time of its poll.
    struct Version {
        var time: Double
        var change: MatchChange
    }

    static let startsAt = 1_796_032_800  // 10:00
    static let schedule = PollSchedule(
        usual: .seconds(5), marquee: .milliseconds(2_500), suspended: .seconds(60), marqueeLeagues: [])
    /// The time until the orchestrator sees a match that has come into play.
    static let orchestratorSeconds = 2.0

    private(set) var matches: [[Entry]] = []

    init(isBesideATwenty20: Bool) throws {
        matches = [try Self.test()]
        if isBesideATwenty20 { matches.append(try Self.entries(of: 1_304_076, startsAt: Self.startsAt + 5 * 3_600)) }
    }

    private static func tape(_ id: Int64) throws -> Tape {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let file = folder.appendingPathComponent("Fixtures/matches/\(id).json")
        return Tape(match: try CricsheetMatch(json: [UInt8](Data(contentsOf: file))), id: id)
    }

    /// Every sixth ball and each wicket is seen by itself: frames of all balls would take minutes to write and to read.
    private static func frames(of tape: Tape) -> [Int] {
        func total(_ index: Int) -> Substring? { tape.frames[index].label.split(separator: "/").dropFirst().last }
        let wickets = tape.frames.indices.dropFirst().filter { total($0) != nil && total($0) != total($0 - 1) }
        return Set(tape.frames(ballsPerFrame: 6) + wickets).sorted()
    }

    private static func entries(of id: Int64, startsAt: Int) throws -> [Entry] {
        let tape = try tape(id)
        let clock = TapeClock(startsAt: startsAt)
        return try frames(of: tape).compactMap { index in
            guard let fixture = try LivescoresAnswer.fixtures(from: tape.livescores(index, clock: clock)).first else {
                return nil
            }
            return Entry(time: startsAt + tape.frames[index].offset, fixture: fixture)
        }
    }

    /// The Test until twenty overs of its second day; the tape's short night becomes a whole one, and rain is put in.
    private static func test() throws -> [Entry] {
        let tape = try tape(426_416)
        var clock = TapeClock(startsAt: startsAt)
        var (entries, shift, balls) = ([Entry](), 0, 0)
        var (isNight, rains) = (false, [330: 70, 400: 70 * 60])
        for index in frames(of: tape) {
            let offset = tape.frames[index].offset
            if isNight {
                isNight = false
                shift = 86_400 - offset
                clock.reach(Double(offset), at: Double(startsAt + 86_400), speed: 1)
            }
            guard let fixture = try LivescoresAnswer.fixtures(from: tape.livescores(index, clock: clock)).first else {
                continue
            }
            let time = startsAt + offset + shift
            entries.append(Entry(time: time, fixture: fixture))
            balls = fixture.balls.count
            if case .innings = fixture.phase, let (due, seconds) = rains.first(where: { $0.key <= balls }) {
                rains[due] = nil
                var wet = fixture
                wet.status = "Int."
                entries.append(Entry(time: time + 15, fixture: wet, moment: "rain"))
                shift += seconds
                clock.reach(Double(offset), at: Double(time), speed: 1)
                clock.reach(Double(offset + 15), at: Double(time + 15 + seconds), speed: 1)
                entries.append(Entry(time: time + 15 + seconds, fixture: fixture, moment: "dry"))
            }
            if case .stumps = fixture.phase { isNight = true }
            if time > startsAt + 86_400 + 20 * 300 { break }
        }
        return entries
    }

    /// Polls from an hour before play until the last entry, and returns the versions of each match.
    func poll() throws -> [[Version]] {
        var machines = matches.map { MatchMachine(matchID: $0[0].fixture.matchID) }
        var rules = matches.map { _ in OfferRule() }
        var versions: [[Version]] = matches.map { _ in [] }
        var unchangedUntil: [Int64?] = matches.map { _ in nil }
        var snapshots: [Int: (place: Int, snapshot: MatchSnapshot)] = [:]
        var before: [SlimFixture]?
        var time = Double(Self.startsAt - 3_600)
        let clock = ContinuousClock.now
        let end = Double(matches[0].last?.time ?? 0)
        while time < end + 60 {
            let at = Int64(time * 1_000)
            var answer: [SlimFixture] = []
            for (match, entries) in matches.enumerated() {
                let later = entries.partitioned { Double($0.time) > time }
                guard later > 0 else { continue }
                let fixture = entries[later - 1].fixture
                answer.append(fixture)
                let (isOffered, isChanged) = rules[match].fetched(fixture, at: clock + .seconds(time))
                let unchanged = unchangedUntil[match]
                if !isChanged, rules[match].isSettled { unchangedUntil[match] = at }
                guard isOffered else { continue }
                if snapshots[match]?.place != later { snapshots[match] = (later, try fixture.snapshot()) }
                guard let snapshot = snapshots[match]?.snapshot else { continue }
                if let due = machines[match].nextDueAt, due <= at, let change = machines[match].tick(now: due) {
                    versions[match].append(Version(time: Double(due) / 1_000, change: change))
                }
                if let change = machines[match].apply(
                    snapshot, fetchedAt: at, unchangedUntil: unchanged, now: at + 100)
                {
                    versions[match].append(Version(time: time, change: change))
                }
                rules[match].settled(change: rules[match].change, at: clock + .seconds(time))
                unchangedUntil[match] = at
            }
            let starts = matches.contains { abs(Double($0[0].fixture.startsAt ?? 0) - time) < 2_400 }
            let interval = Self.schedule.interval(after: answer, before: before, startsSoon: starts, at: Int(time))
            before = answer
            time += interval / .seconds(1)
        }
        return versions
    }

    /// What is told when every entry is seen twice at once, with the time at which the provider showed it.
    func told(_ match: Int) throws -> [(time: Int, alert: MatchAlert)] {
        var machine = MatchMachine(matchID: matches[match][0].fixture.matchID)
        var told: [(Int, MatchAlert)] = []
        for entry in matches[match] {
            let snapshot = try entry.fixture.snapshot()
            for second in [0, 1] {
                let at = Int64(entry.time + second) * 1_000
                if let due = machine.nextDueAt, due <= at, let alert = machine.tick(now: due)?.alert {
                    told.append((Int(due / 1_000), alert))
                }
                if let alert = machine.apply(snapshot, fetchedAt: at, now: at + 100)?.alert {
                    told.append((entry.time, alert))
                }
            }
        }
        return told
    }
}

extension Array {
    /// The index of the first element for which the condition holds, where those for which it does come last.
    fileprivate func partitioned(_ isSecond: (Element) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if isSecond(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
