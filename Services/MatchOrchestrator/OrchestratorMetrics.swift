import Activities
import Metrics

/// Metrics of passes, syncs of the schedule, and activities made and ended.
struct OrchestratorMetrics: Sendable {
    private let passSeconds = Timer(label: "sightscreen_orchestrator_pass_seconds")
    private let created = Counter(label: "sightscreen_activities_created_total")
    private let fixtures = Gauge(label: "sightscreen_fixtures_synced")

    /// Counters start at 0, so that an alert on their growth sees the first event, too.
    func begin() {
        for step in StartFallback.Step.allCases { movedFallbacks(0, to: step) }
        renewalsDue(0)
    }

    func passed(_ duration: Duration, failedSteps: Int) {
        passSeconds.record(duration: duration)
        let outcome = failedSteps == 0 ? "ok" : "failed"
        Counter(label: "sightscreen_orchestrator_passes_total", dimensions: [("outcome", outcome)]).increment()
    }

    func synced(_ count: Int) {
        fixtures.record(count)
        Counter(label: "sightscreen_fixture_syncs_total", dimensions: [("outcome", "ok")]).increment()
    }

    func syncFailed() {
        Counter(label: "sightscreen_fixture_syncs_total", dimensions: [("outcome", "failed")]).increment()
    }

    /// Sets the matches in play. Only the orchestrator in charge exports the gauge; nil removes it.
    func inPlay(_ count: Int?) {
        let matches = Gauge(label: "sightscreen_matches_in_play")
        if let count { matches.record(count) } else { matches.destroy() }
    }

    func created(_ count: Int) { created.increment(by: count) }

    /// - Parameter step: the step that the phones came to; `none` means that they answered after all.
    func movedFallbacks(_ count: Int, to step: StartFallback.Step) {
        Counter(label: "sightscreen_start_fallbacks_total", dimensions: [("step", step.rawValue)])
            .increment(by: count)
    }

    func fallbacks(_ counts: [StartFallback.Step: Int]) {
        for (step, count) in counts {
            Gauge(label: "sightscreen_devices_in_fallback", dimensions: [("step", step.rawValue)]).record(count)
        }
    }

    func renewalsDue(_ count: Int) { Counter(label: "sightscreen_renewals_due_total").increment(by: count) }

    func ended(_ count: Int, reason: String) {
        Counter(label: "sightscreen_activities_ended_total", dimensions: [("reason", reason)]).increment(by: count)
    }
}
