import FoundationEssentials
import Sightscreen
import Tapes

/// The matches that are loaded, the faults that wait, and the clock they all run by.
actor MatchDeck {
    /// More than the world plays at once.
    static let matchesMax = 200
    static let faultsMax = 100
    /// The first id for a tape whose own is taken.
    static let spareIDs: Int64 = 9_000_000_000

    enum Failure: Error {
        case noTape(String)
        case notAMatch(String)
        case noMatch
        case noFrame(String)
        case full
    }

    private let library: TapeLibrary
    private var players: [MatchID: MatchPlayer] = [:]
    /// Ids are not used twice, also after a match is stopped: readers remember them.
    private var usedIDs: Set<MatchID> = []
    private var faults: [ProviderFault] = []
    private var limit: CallLimit
    private var answers: [AnswerKey: [UInt8]] = [:]
    private let startedAt = Date().timeIntervalSince1970
    private let started = ContinuousClock.now

    private struct AnswerKey: Hashable {
        var match: MatchID
        var cursor: Int
        var revision: Int
        var include: String
    }

    init(library: TapeLibrary, hourlyLimit: Int) {
        self.library = library
        limit = CallLimit(calls: hourlyLimit)
    }

    /// Seconds since 1970, never backwards.
    private var now: Double { startedAt + (ContinuousClock.now - started) / .seconds(1) }

    // MARK: Control

    func tapes() -> [TapeLibrary.Entry] { library.entries() }

    /// - Parameter lead: seconds to the start of play.
    func load(_ tapeID: String, speed: Double, lead: Double, paused: Bool) throws -> MatchPosition {
        guard players.count < Self.matchesMax else { throw Failure.full }
        let match: CricsheetMatch?
        do { match = try library.match(tapeID) } catch { throw Failure.notAMatch("\(error)") }
        guard let match, let own = MatchID(tapeID) else { throw Failure.noTape(tapeID) }
        var id = own
        var spare = Self.spareIDs
        while usedIDs.contains(id) {
            id = MatchID(spare)
            spare += 1
        }
        usedIDs.insert(id)
        let now = now
        var player = MatchPlayer(
            tape: Tape(match: match, id: id.rawValue), tapeID: tapeID, speed: speed, lead: lead, now: now)
        if !paused { player.play(at: now) }
        players[id] = player
        return MatchPosition(player)
    }

    func positions() -> [MatchPosition] {
        players.keys.sorted().compactMap { try? position($0) }
    }

    func position(_ id: MatchID) throws -> MatchPosition { try change(id) { _, _ in } }
    func play(_ id: MatchID) throws -> MatchPosition { try change(id) { $0.play(at: $1) } }
    func pause(_ id: MatchID) throws -> MatchPosition { try change(id) { $0.pause(at: $1) } }
    func step(_ id: MatchID) throws -> MatchPosition { try change(id) { $0.step(at: $1) } }

    func seek(_ id: MatchID, to label: String) throws -> MatchPosition {
        guard let player = players[id] else { throw Failure.noMatch }
        guard let index = player.tape.position(of: label) else { throw Failure.noFrame(label) }
        return try change(id) { $0.seek(to: index, at: $1) }
    }

    /// - Parameter cursor: frames shown after it, from 1.
    func seek(_ id: MatchID, cursor: Int) throws -> MatchPosition {
        guard let player = players[id] else { throw Failure.noMatch }
        guard (1...player.tape.frames.count).contains(cursor) else { throw Failure.noFrame(String(cursor)) }
        return try change(id) { $0.seek(to: cursor - 1, at: $1) }
    }

    func setSpeed(_ id: MatchID, _ speed: Double) throws -> MatchPosition {
        try change(id) { $0.change(speed: speed, at: $1) }
    }

    /// Takes the match out of the provider altogether.
    func stop(_ id: MatchID) throws -> MatchPosition {
        let last = try change(id) { $0.pause(at: $1) }
        players[id] = nil
        answers = answers.filter { $0.key.match != id }
        return last
    }

    func add(_ fault: ProviderFault) throws {
        guard faults.count < Self.faultsMax else { throw Failure.full }
        faults.append(fault)
    }

    func waitingFaults() -> [ProviderFault] { faults }
    func removeFaults() { faults = [] }

    private func change(_ id: MatchID, _ body: (inout MatchPlayer, Double) -> Void) throws -> MatchPosition {
        guard var player = players[id] else { throw Failure.noMatch }
        let now = now
        player.advance(to: now)
        body(&player, now)
        players[id] = player
        return MatchPosition(player)
    }

    // MARK: The provider

    /// - Returns: the calls that remain; -1 when this one is too many; nil without a limit.
    func count(_ endpoint: ProviderEndpoint) -> Int? { limit.take(endpoint, at: now) }

    /// The fault for this call, if one waits for it.
    func fault(for endpoint: ProviderEndpoint) -> ProviderFault? {
        guard let index = faults.firstIndex(where: { $0.endpoint == nil || $0.endpoint == endpoint }) else {
            return nil
        }
        let fault = faults[index]
        faults[index].count -= 1
        if faults[index].count <= 0 { faults.remove(at: index) }
        return fault
    }

    /// Every match in the schedule, by id.
    func all() -> [MatchPlayer] {
        let now = now
        for id in players.keys { players[id]?.advance(to: now) }
        return players.sorted { $0.key < $1.key }.map(\.value)
    }

    /// A match's JSON. What was written for an earlier call is used again while the match stands still: polls come more
    /// often than balls.
    func json(_ player: MatchPlayer, include: String, rowsBehind: Int) async -> [UInt8] {
        let key = AnswerKey(
            match: MatchID(player.tape.id), cursor: player.cursor, revision: player.revision, include: include)
        if rowsBehind == 0, let known = answers[key] { return known }
        let bytes = await Self.render(player, include: include, rowsBehind: rowsBehind)
        if rowsBehind == 0 {
            answers = answers.filter { $0.key.match != key.match || $0.key.include != include }
            answers[key] = bytes
        }
        return bytes
    }

    /// A Test's frame takes a while: others are served meanwhile.
    @concurrent
    private static func render(_ player: MatchPlayer, include: String, rowsBehind: Int) async -> [UInt8] {
        player.tape.livescoreFixture(
            player.frameIndex, clock: player.clock, includes: FixtureIncludes(include), rowsBehind: rowsBehind)
    }
}
