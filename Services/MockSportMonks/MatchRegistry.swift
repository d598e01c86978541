import FoundationEssentials
import SightscreenModels
import Tapes

/// The loaded matches, the waiting faults, and the clock of them all.
actor MatchRegistry {
    /// The most matches at a time, more than the world plays at once.
    static let matchesMax = 200
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
    /// The ids used so far. An id is not used again, even after its match was stopped, because readers remember it.
    private var usedIDs: Set<MatchID> = []
    private var faults = FaultSchedule()
    private var limit: CallLimit
    private var screens: [MatchID: MatchScreen] = [:]
    private let startedAt = Date().timeIntervalSince1970
    private let started = ContinuousClock.now

    init(library: TapeLibrary, hourlyLimit: Int) {
        self.library = library
        limit = CallLimit(calls: hourlyLimit)
    }

    /// The time in seconds since 1970, which never goes backwards.
    private var now: Double { startedAt + (ContinuousClock.now - started) / .seconds(1) }

    // MARK: Control

    func tapes() -> [TapeLibrary.Entry] { library.entries() }

    func load(_ order: LoadOrder) async throws -> MatchPosition {
        guard players.count < Self.matchesMax else { throw Failure.full }
        let source = try await Self.source(order, library)
        let own: MatchID =
            switch source {
            case .converted: MatchID(order.tapeID) ?? MatchID(Self.spareIDs)
            case .recorded(let tape): MatchID(tape.recordedID)
            }
        guard players.count < Self.matchesMax else { throw Failure.full }
        var id = own
        var spare = Self.spareIDs
        while usedIDs.contains(id) {
            id = MatchID(spare)
            spare += 1
        }
        let now = now
        guard faults.add(order.faults, at: now) else { throw Failure.full }
        usedIDs.insert(id)
        let tape =
            switch source {
            case .converted(let match):
                LoadedTape(
                    Tape(match: match, id: id.rawValue, variant: order.variant, seed: order.seed),
                    ballsPerFrame: order.ballsPerFrame)
            case .recorded(let recorded): LoadedTape(recorded, id: id.rawValue)
            }
        var player = MatchPlayer(tape: tape, tapeID: order.tapeID, speed: order.speed, lead: order.lead, now: now)
        if !order.isPaused { player.play(at: now) }
        players[id] = player
        screens[id] = MatchScreen()
        return MatchPosition(player)
    }

    private enum LoadSource: Sendable {
        case converted(CricsheetMatch)
        case recorded(RecordedTape)
    }

    /// Reads the tape's file. A long recording takes seconds, during which other calls are served.
    @concurrent
    private static func source(_ order: LoadOrder, _ library: TapeLibrary) async throws -> LoadSource {
        do {
            if let match = try library.match(order.tapeID) { return .converted(match) }
            if let file = library.recording(order.tapeID) {
                return .recorded(try RecordedTape(file: file, match: order.fixture))
            }
        } catch {
            throw Failure.notAMatch("\(error)")
        }
        throw Failure.noTape(order.tapeID)
    }

    func positions() -> [MatchPosition] {
        players.keys.sorted().compactMap { try? position($0) }
    }

    func position(_ id: MatchID) throws -> MatchPosition { try change(id) { _, _ in } }
    /// The labels of the match's frames, in order.
    func labels(_ id: MatchID) throws -> [String] {
        guard let player = players[id] else { throw Failure.noMatch }
        return player.tape.frames.map(\.label)
    }

    func play(_ id: MatchID) throws -> MatchPosition { try change(id) { $0.play(at: $1) } }
    func pause(_ id: MatchID) throws -> MatchPosition { try change(id) { $0.pause(at: $1) } }
    func step(_ id: MatchID) throws -> MatchPosition { try change(id) { $0.step(at: $1) } }

    func seek(_ id: MatchID, to label: String) throws -> MatchPosition {
        guard let player = players[id] else { throw Failure.noMatch }
        guard let index = player.tape.position(of: label) else { throw Failure.noFrame(label) }
        return try change(id) { $0.seek(to: index, at: $1) }
    }

    /// - Parameter cursor: the frames shown afterwards, from 1.
    func seek(_ id: MatchID, cursor: Int) throws -> MatchPosition {
        guard let player = players[id] else { throw Failure.noMatch }
        guard (1...player.tape.frames.count).contains(cursor) else { throw Failure.noFrame(String(cursor)) }
        return try change(id) { $0.seek(to: cursor - 1, at: $1) }
    }

    func setSpeed(_ id: MatchID, _ speed: Double) throws -> MatchPosition {
        try change(id) { $0.change(speed: speed, at: $1) }
    }

    /// Removes the match from the provider.
    func stop(_ id: MatchID) throws -> MatchPosition {
        let last = try change(id) { $0.pause(at: $1) }
        players[id] = nil
        screens[id] = nil
        return last
    }

    func add(_ new: [ProviderFault]) throws {
        guard faults.add(new, at: now) else { throw Failure.full }
    }

    func waitingFaults() -> [ProviderFault] { faults.faults }
    func removeFaults() { faults.removeAll() }

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

    /// The fault for this call; nil when none is due.
    func fault(for endpoint: ProviderEndpoint) -> ProviderFault? { faults.take(for: endpoint, at: now) }

    /// Every match in the schedule, by id.
    func all() -> [MatchPlayer] {
        let now = now
        for id in players.keys { players[id]?.advance(to: now) }
        return players.sorted { $0.key < $1.key }.map(\.value)
    }
    /// The screen of a match; nil when the match was stopped meanwhile.
    func screen(_ player: MatchPlayer) -> MatchScreen? { screens[MatchID(player.tape.id)] }
}
