package import Logging
import SightscreenModels
import SportMonks
public import Store

/// Brings `fixtures` up to date with the provider's schedule.
public actor FixtureSync {
    private let source: any FixtureSource
    private let store: FixtureStore
    private let logger: Logger
    private let metrics = OrchestratorMetrics()
    private var plan: SyncPlan
    private var failures = FailureLog()
    /// Syncs that succeeded since the start.
    public private(set) var completed = 0

    /// - Parameter hourlyLimit: calls an hour that the provider allows; 0: no limit.
    package init(source: any FixtureSource, store: FixtureStore, hourlyLimit: Int, logger: Logger) {
        self.source = source
        self.store = store
        self.logger = logger
        plan = SyncPlan(hourlyLimit: hourlyLimit)
    }

    /// One sync, unless calls have to be saved. A failure is logged and leaves the schedule as it is.
    /// - Parameter lease: the orchestrator's.
    public func runOnce(under lease: Lease) async {
        do {
            let now = try await store.now()
            guard let span = plan.next(at: .now, seconds: now) else { return }
            try await sync(span, lease)
            failures.succeeded("schedule", logger)
        } catch is CancellationError {
            return
        } catch let error as StoreError where error.code == .leaseLost {
            logger.info("The schedule is synced by another orchestrator now")
        } catch {
            metrics.syncFailed()
            failures.failed("schedule", error, logger)
        }
    }

    private func sync(_ span: SyncPlan.Span, _ lease: Lease) async throws {
        let answer: FixtureSpan
        do {
            answer = try await source.fixtures(from: span.from, to: span.to)
        } catch {
            plan.finished(span, calls: 1, succeeded: false, at: .now)
            throw error
        }
        var problems = answer.problems
        var records: [FixtureRecord] = []
        for fixture in answer.fixtures {
            do { records.append(try FixtureRecord(fixture)) } catch { problems.append("\(fixture.id): \(error)") }
        }
        try await store.upsert(records, under: lease)
        // A fixture that could not be read is listed all the same; an empty list is an outage, not an empty world.
        if !answer.fixtures.isEmpty, answer.problems.isEmpty {
            try await store.noteMissing(
                from: span.judgedFrom, to: span.judgedTo, present: answer.fixtures.map(\.matchID), under: lease)
        }
        plan.finished(span, calls: answer.calls, succeeded: true, at: .now)
        completed += 1
        metrics.synced(records.count)
        logger.debug("Schedule synced", metadata: ["fixtures": "\(records.count)", "calls": "\(answer.calls)"])
        if !problems.isEmpty {
            // The same broken row comes with every answer: the first is enough to find it.
            logger.info(
                "Part of the schedule could not be read",
                metadata: ["problems": "\(problems.count)", "first": "\(problems[0])"])
        }
    }
}
