package import Logging
import SightscreenModels
import SportMonks
public import Store

/// Brings the table `fixtures` up to date with the provider's schedule.
public actor FixtureSync {
    private let source: any FixtureSource
    private let store: FixtureStore
    private let logoHosts: LogoHosts
    private let logger: Logger
    private let metrics = OrchestratorMetrics()
    private var plan: SyncPlan
    private var failures = FailureLog()
    /// The number of syncs that have succeeded since the start.
    public private(set) var completed = 0

    /// - Parameter hourlyLimit: the calls an hour that the provider allows; 0: no limit.
    package init(
        source: any FixtureSource, store: FixtureStore, hourlyLimit: Int, logoHosts: LogoHosts, logger: Logger
    ) {
        self.source = source
        self.store = store
        self.logoHosts = logoHosts
        self.logger = logger
        plan = SyncPlan(hourlyLimit: hourlyLimit)
    }

    /// Syncs once, unless calls have to be saved. A failure is logged and leaves the schedule as it is.
    /// - Parameter lease: the orchestrator's lease, under which every write is made.
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
            do {
                var record = try FixtureRecord(fixture)
                // A snapshot has no logos, because no event depends on them.
                record.home.logo = logo(of: fixture.home, &problems)
                record.away.logo = logo(of: fixture.away, &problems)
                records.append(record)
            } catch { problems.append("\(fixture.id): \(error)") }
        }
        try await store.upsert(records, under: lease)
        // A fixture that could not be read is still listed, so an answer with such rows marks nothing as missing; nor
        // does an empty one, which means an outage.
        if !answer.fixtures.isEmpty, answer.problems.isEmpty {
            try await store.noteMissing(
                from: span.checkedFrom, to: span.checkedTo, present: answer.fixtures.map(\.matchID), under: lease)
        }
        plan.finished(span, calls: answer.calls, succeeded: true, at: .now)
        completed += 1
        metrics.synced(records.count)
        logger.debug("Schedule synced", metadata: ["fixtures": "\(records.count)", "calls": "\(answer.calls)"])
        if !problems.isEmpty {
            // The same broken row comes with every answer, so only the first is logged.
            logger.info(
                "Part of the schedule could not be read",
                metadata: ["problems": "\(problems.count)", "first": "\(problems[0])"])
        }
    }

    private func logo(of team: SlimTeam, _ problems: inout [String]) -> String? {
        guard let logo = team.logo else { return nil }
        if logoHosts.admits(logo) { return logo }
        let place = ImageAddress.host(of: logo).map { "on \($0)" } ?? "nowhere that a phone may ask"
        problems.append("team \(team.id): its logo is \(place), which LOGO_HOSTS does not name")
        return nil
    }
}
