import Activities
import FanOut
import Logging
import Metrics
import Postgres
import Reactor
import ServiceKit
import SightscreenModels
import Store

/// Keeps `MatchHolds` up to date: reads the table at each notification and twice a second, so that a hold set at any
/// host is in force within a second.
///
/// It has its own thread and connections, because it must work during a full fan-out. Then thousands of tasks wait for
/// the threads that all tasks share, and long statements occupy the connections that all stores share.
actor HoldMonitor {
    static let interval = Duration.milliseconds(500)
    /// The deadline of one read; a read that takes longer is repeated on the other connection.
    private static let deadline = Duration.seconds(1)

    private static let reactor = Reactor(name: "holds")
    nonisolated var unownedExecutor: UnownedSerialExecutor { Self.reactor.asUnownedSerialExecutor() }

    private let pool: PostgresPool
    private let store: HoldStore
    private let matchHolds: MatchHolds
    private let stalls: StallDetector
    private let logger: Logger
    private let signals: AsyncStream<Void>
    private let signal: AsyncStream<Void>.Continuation
    private var timer: Reactor.TimerID?
    private var works = true

    init(
        database: DatabaseSetting, instance: String, matchHolds: MatchHolds, stalls: StallDetector, logger: Logger
    ) throws(ConfigurationError) {
        pool = try database.pool(
            size: 2, applicationName: "la-coordinator/\(instance) holds", reactor: Self.reactor)
        store = HoldStore(pool: pool)
        self.matchHolds = matchHolds
        self.stalls = stalls
        self.logger = logger
        (signals, signal) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }
    /// Reads the holds soon, because another process reported a change.
    nonisolated func readSoon() { signal.yield() }
    /// Whether a hold of this level, or a stronger one, is in force for a match.
    nonisolated func stops(_ level: HoldLevel, of match: MatchID) -> Bool { matchHolds.hold(of: match).stops(level) }
    /// Whether the holds were read at least once.
    nonisolated var areKnown: Bool { matchHolds.areKnown }

    /// Reads the holds until the task is cancelled.
    /// - Parameter onChange: called when the holds have changed, and after the first read.
    func run(onChange: @Sendable () -> Void) async {
        tick()
        for await _ in signals {
            if Task.isCancelled { break }
            await read(onChange)
        }
        if let timer { Self.reactor.cancel(timer) }
        timer = nil
    }
    /// Ends `run`: a read that waits for the database ends at once.
    nonisolated func close(ending run: Task<Void, Never>) async {
        run.cancel()
        await pool.close()
        await run.value
    }

    private func tick() {
        signal.yield()
        timer = Self.reactor.schedule(after: Self.interval) { [weak self] in self?.assumeIsolated { $0.tick() } }
    }

    private func read(_ onChange: @Sendable () -> Void) async {
        do {
            let mark = stalls.mark()
            let holds = try await store.all(deadline: Self.deadline)
            let before = matchHolds.apply(holds)
            stalls.noteRead(.holds, since: mark)
            if before != holds { onChange() }
            report(holds, before: before ?? Holds())
            if !works { logger.notice("The holds can be read again") }
            works = true
        } catch {
            if works, !Task.isCancelled { report(error) }
            works = false
        }
    }

    private func report(_ error: any Error) {
        let metadata: Logger.Metadata = ["error": "\(error)"]
        if matchHolds.areKnown {
            logger.warning("The holds cannot be read: the last known ones stay in force", metadata: metadata)
        } else {
            logger.warning(
                "The holds cannot be read, and were not read before: nothing is sent until they are",
                metadata: metadata)
        }
    }

    private func report(_ holds: Holds, before: Holds) {
        for level in [HoldLevel.alerts, .pushes] {
            Gauge(label: "sightscreen_holds", dimensions: [("level", level.rawValue)]).record(holds.count(of: level))
        }
        report("everywhere", holds.everywhere, before: before.everywhere)
        for match in Set(holds.matches.keys).union(before.matches.keys).sorted() {
            report(match.description, holds.matches[match] ?? .none, before: before.matches[match] ?? .none)
        }
    }

    private func report(_ match: String, _ level: HoldLevel, before: HoldLevel) {
        guard level != before else { return }
        let metadata: Logger.Metadata = [
            "match.id": "\(match)", "hold.level": "\(level)", "hold.before": "\(before)",
        ]
        if level == .none {
            logger.notice("A hold ends", metadata: metadata)
        } else {
            logger.notice("A hold begins", metadata: metadata)
        }
    }
}
