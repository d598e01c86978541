import Activities
import FanOut
import Logging
import Metrics
import Postgres
import Reactor
import ServiceKit
import SightscreenModels
import Store

/// Keeps the brakes as the operator set them: reads the table when a notification comes and twice a second, so that a hold set
/// at any host is obeyed within a second.
///
/// It has a thread and a connection of its own, because it must work when a fan-out is in full swing: then thousands of
/// tasks wait for the threads that all tasks share, and long statements for the connections that all stores share.
actor HoldWatch {
    static let interval = Duration.milliseconds(500)
    /// One that takes longer is asked again, on another connection.
    private static let deadline = Duration.seconds(1)

    private static let reactor = Reactor(name: "holds")
    nonisolated var unownedExecutor: UnownedSerialExecutor { Self.reactor.asUnownedSerialExecutor() }

    private let pool: PostgresPool
    private let store: HoldStore
    private let brakes: Brakes
    private let freezes: FreezeWatch
    private let logger: Logger
    private let signals: AsyncStream<Void>
    private let signal: AsyncStream<Void>.Continuation
    private var timer: Reactor.TimerID?
    private var works = true

    init(
        database: DatabaseSetting, instance: String, brakes: Brakes, freezes: FreezeWatch, logger: Logger
    ) throws(ConfigurationError) {
        pool = try database.pool(
            size: 2, applicationName: "la-coordinator/\(instance) holds", reactor: Self.reactor)
        store = HoldStore(pool: pool)
        self.brakes = brakes
        self.freezes = freezes
        self.logger = logger
        (signals, signal) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Somebody says that holds changed.
    nonisolated func look() { signal.yield() }

    /// Whether one of this level is in force for a match.
    nonisolated func stops(_ level: HoldLevel, of match: MatchID) -> Bool { brakes.brake(of: match).stops(level) }

    /// They were read at least once.
    nonisolated var areKnown: Bool { brakes.areKnown }

    /// Until cancelled.
    /// - Parameter onChange: called when another level came into force somewhere, and once in the beginning.
    func run(onChange: @Sendable () -> Void) async {
        tick()
        for await _ in signals {
            if Task.isCancelled { break }
            await read(onChange)
        }
        if let timer { Self.reactor.cancel(timer) }
        timer = nil
    }

    /// For the end: a look that waits for the database ends at once.
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
            let mark = freezes.mark()
            let holds = try await store.all(deadline: Self.deadline)
            let before = brakes.apply(holds)
            freezes.noteRead(.holds, since: mark)
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
        if brakes.areKnown {
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
