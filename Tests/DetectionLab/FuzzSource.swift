import ArgumentParser
import Cricket
import Detection
import FoundationEssentials
import SightscreenModels
import SportMonks
import Tapes

/// A frame to damage, with the match before it and the good frames after it.
struct FuzzSource: Sendable {
    /// "1304076 at S2 3.4 31/1", "fixture-71344-2nd-innings.excerpt.json".
    let name: String
    let matchID: MatchID
    /// Whether the answer is one fixture, as of `/fixtures/{id}`, or a list.
    let isList: Bool
    let map: JSONMap
    /// As it was before the frame.
    let machine: MatchMachine
    /// When the frame is fetched, milliseconds since 1970.
    let fetchedAt: Int64
    /// What is fetched after it, 5 s apart.
    let next: [MatchSnapshot]

    /// Places of every match, the early ones with small frames more often than the late ones.
    static func all(matches: String, recorded: String) throws -> [FuzzSource] {
        var sources = try FuzzSource.recorded(in: recorded)
        for file in try MatchFile.all(in: matches) {
            let tape = file.tape()
            let listed = tape.frames.indices.filter { tape.frames[$0].isListed }
            for share in [0.01, 0.03, 0.05, 0.1, 0.2, 0.35, 0.5, 0.75, 0.98] {
                let place = min(max(Int(Double(listed.count) * share), 3), listed.count - 3)
                // The whole of a Test is for its own benchmark; here it would be most of the time.
                guard place < 700 else { continue }
                sources.append(try FuzzSource(tape, place: place, listed: listed))
            }
        }
        return sources
    }

    private init(_ tape: Tape, place: Int, listed: [Int]) throws {
        let clock = TapeClock(startsAt: 1_790_000_000)
        func answer(_ place: Int) -> [UInt8] { tape.livescores(listed[place], clock: clock) }
        func snapshot(_ place: Int) throws -> MatchSnapshot {
            guard let fixture = try LivescoresAnswer.fixtures(from: answer(place)).first else {
                throw ValidationError("frame \(place) of \(tape.title) has no fixture")
            }
            return try fixture.snapshot()
        }
        name = "\(tape.id) at \(tape.frames[listed[place]].label)"
        matchID = MatchID(tape.id)
        isList = true
        map = JSONMap(answer(place))
        fetchedAt = Int64(clock.time(of: tape.frames[listed[place]].offset)) * 1_000
        var machine = MatchMachine(matchID: matchID)
        for (index, earlier) in [place - 3, place - 2, place - 1].enumerated() {
            let at = fetchedAt - 15_000 + Int64(index) * 5_000
            _ = machine.apply(try snapshot(earlier), fetchedAt: at, now: at)
        }
        self.machine = machine
        next = [try snapshot(place), try snapshot(place), try snapshot(place + 1), try snapshot(place + 2)]
    }

    /// Answers that somebody recorded from the provider; each is its own next frame.
    private static func recorded(in folder: String) throws -> [FuzzSource] {
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: folder) else {
            throw ValidationError("\(folder): cannot be read")
        }
        return names.filter { $0.hasSuffix(".json") }.sorted().compactMap { name in
            guard let data = FileManager.default.contents(atPath: "\(folder)/\(name)") else { return nil }
            return FuzzSource(recorded: [UInt8](data), name: name)
        }
    }

    /// Nil for an answer without a match in it.
    private init?(recorded bytes: [UInt8], name: String) {
        let list = try? LivescoresAnswer(bytes).fixtures.first
        guard let fixture = list ?? (try? FixtureAnswer(bytes).fixture), let snapshot = try? fixture.snapshot() else {
            return nil
        }
        self.name = name
        matchID = fixture.matchID
        isList = list != nil
        map = JSONMap(bytes)
        fetchedAt = 1_790_000_000_000
        machine = MatchMachine(matchID: fixture.matchID)
        next = [snapshot, snapshot]
    }
}
