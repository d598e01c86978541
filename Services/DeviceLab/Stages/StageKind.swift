/// A stage as the page shows it: its name, and its metrics that are worth showing.
struct StageKind: Sendable {
    struct Count: Sendable {
        var label: String
        /// Whether the value only grows, so that its rate is meaningful.
        var isCounter = true
        /// Whether the count is shown while it is zero.
        var isShownAtZero = true
        var value: @Sendable (MetricsText) -> Double?
    }

    var name: String
    var counts: [Count]

    /// The stages in the order in which a ball passes them, followed by those beside its path.
    static let all = [
        StageKind(name: "mock-sportmonks", counts: []),
        StageKind(
            name: "score-poller",
            counts: [
                Count(label: "polls") { $0.sum("sightscreen_polls_total") },
                Count(label: "frames") { $0.sum("sightscreen_frames_total") },
            ]),
        StageKind(
            name: "event-bus",
            counts: [
                Count(label: "versions") { $0.sum("sightscreen_versions_total") },
                Count(label: "events") { $0.sum("sightscreen_events_total") },
            ]),
        StageKind(
            name: "la-coordinator",
            counts: [
                Count(label: "pushes") { $0.sum("sightscreen_pushes_total") },
                Count(label: "not taken") { metrics in
                    guard let all = metrics.sum("sightscreen_pushes_total") else { return nil }
                    return all - (metrics.sum("sightscreen_pushes_total", with: #"outcome="accepted""#) ?? 0)
                },
                Count(label: "activities", isCounter: false) { $0.sum("sightscreen_phones") },
                Count(label: "alerts held", isCounter: false, isShownAtZero: false) { holds($0, "alerts") },
                Count(label: "pushes held", isCounter: false, isShownAtZero: false) { holds($0, "pushes") },
            ]),
        StageKind(name: "apns-simulator", counts: []),
        StageKind(
            name: "api-gateway",
            counts: [Count(label: "requests") { $0.sum("sightscreen_http_requests_total") }]),
        StageKind(
            name: "orchestrator",
            counts: [
                Count(label: "passes") { $0.sum("sightscreen_orchestrator_passes_total") },
                Count(label: "started") { $0.sum("sightscreen_activities_created_total") },
            ]),
    ]

    /// Holds of the operator that are in force at a coordinator.
    private static func holds(_ metrics: MetricsText, _ level: String) -> Double? {
        metrics.sum("sightscreen_holds", with: "level=\"\(level)\"")
    }
}
