package import Logging
package import ServiceKit
import SightscreenModels
import SportMonks
public import Store

/// Brings the table `fixtures` up to date with the provider's schedule.
public actor FixtureSync {
    private let source: any FixtureSource
    private let store: FixtureStore
    private let logoHosts: LogoHosts
    private let logger: Logger
    private let readiness: Readiness
    private let metrics = OrchestratorMetrics()
    private var plan: SyncPlan
    private var asked = AskedFixtures()
    private var failures = FailureLog()
    /// The number of syncs that have succeeded since the start.
    public private(set) var completed = 0

    /// - Parameter hourlyLimit: the calls an hour that the provider allows; 0: no limit.
    package init(
        source: any FixtureSource, store: FixtureStore, hourlyLimit: Int, logoHosts: LogoHosts, logger: Logger,
        readiness: Readiness = Readiness()
    ) {
        self.source = source
        self.store = store
        self.logoHosts = logoHosts
        self.logger = logger
        self.readiness = readiness
        plan = SyncPlan(hourlyLimit: hourlyLimit)
    }

    /// Syncs once, unless calls have to be saved. A failure is logged and leaves the schedule as it is.
    /// - Parameter lease: the orchestrator's lease, under which every write is made.
    public func runOnce(under lease: Lease) async {
        do {
            let now = try await store.now()
            guard let span = plan.next(at: .now, seconds: now) else { return }
            try await sync(span, now, lease)
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

    private func sync(_ span: SyncPlan.Span, _ now: Int, _ lease: Lease) async throws {
        let answer: FixtureSpan
        do {
            answer = try await source.fixtures(from: span.from, to: span.to)
            readiness.degrade("provider", nil)
        } catch {
            if !Task.isCancelled { readiness.degrade("provider", ErrorChain.describe(error)) }
            plan.finished(span, calls: 1, succeeded: false, at: .now)
            throw error
        }
        var problems = answer.problems
        let records = answer.fixtures.map { record($0, &problems) }
        try await store.upsert(records, under: lease)
        let listed = answer.fixtures.map(\.matchID) + answer.named
        asked.forget(listed: listed, at: .now)
        // An answer with a row that could be of any fixture marks nothing as missing; nor does an empty one, which means
        // an outage.
        if !answer.fixtures.isEmpty, answer.namesAll {
            try await store.noteMissing(
                from: span.checkedFrom, to: span.checkedTo, present: listed + asked.present, under: lease)
        }
        let calls = try await askForFollowed(SyncPlan.window(now), &problems, lease)
        plan.finished(span, calls: answer.calls + calls, succeeded: true, at: .now)
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

    /// Asks for followed matches that the window does not have, each by itself. A failure leaves the rest to the next
    /// sync.
    /// - Returns: the number of calls made.
    private func askForFollowed(
        _ window: SyncPlan.Span, _ problems: inout [String], _ lease: Lease
    ) async throws -> Int {
        let matches = try await store.followedOutside(
            from: window.from, to: window.to, except: asked.recent, limit: AskedFixtures.perSync)
        for (calls, match) in matches.enumerated() {
            let answer: SingleFixture
            do { answer = try await source.fixture(match) } catch {
                problems.append("\(match): \(error)")
                return calls + 1
            }
            switch answer {
            case .fixture(let fixture): try await store.upsert([record(fixture, &problems)], under: lease)
            case .unread(let reason): problems.append("\(match): \(reason)")
            case .notFound: break
            }
            asked.note(match, isThere: !answer.isNotFound, at: .now)
        }
        return matches.count
    }

    private func record(_ fixture: SlimFixture, _ problems: inout [String]) -> FixtureRecord {
        var record = FixtureRecord(fixture)
        record.home.logo = logo(of: fixture.home, &problems)
        record.away.logo = logo(of: fixture.away, &problems)
        return record
    }

    private func logo(of team: SlimTeam, _ problems: inout [String]) -> String? {
        guard let logo = team.logo else { return nil }
        if logoHosts.admits(logo) { return logo }
        let place = ImageAddress.host(of: logo).map { "on \($0)" } ?? "nowhere that a phone may ask"
        problems.append("team \(team.id): its logo is \(place), which LOGO_HOSTS does not name")
        return nil
    }
}
