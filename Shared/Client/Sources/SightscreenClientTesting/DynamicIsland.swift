public import SightscreenModels

/// The activities in the Dynamic Island. Activities that are over are not among them.
public struct DynamicIsland: Hashable, Sendable {
    /// The activity around the camera, leading and trailing.
    public var compact: ActivityID?
    /// The activity in the round island beside it, when a second one runs.
    public var minimal: ActivityID?
    /// The activity that is expanded, because an alert has just come.
    public var expanded: ActivityID?

    public init(compact: ActivityID? = nil, minimal: ActivityID? = nil, expanded: ActivityID? = nil) {
        self.compact = compact
        self.minimal = minimal
        self.expanded = expanded
    }

    static func of(_ activities: [SimulatedActivity], expandedFor: Int, now: Int) -> Self {
        let running = activities.filter(\.isRunning).sorted { $0.comes(before: $1) }
        let alerting = running.filter { now - ($0.lastAlert?.at ?? .min / 2) < expandedFor }
            .max { ($0.lastAlert?.at ?? 0) < ($1.lastAlert?.at ?? 0) }
        return Self(compact: running.first?.id, minimal: running.dropFirst().first?.id, expanded: alerting?.id)
    }
}
