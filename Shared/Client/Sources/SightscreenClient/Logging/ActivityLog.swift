import SightscreenModels

/// The lines of the log for the life of an activity: one for each step of it and of its token. A new state is no step.
enum ActivityLog {
    static func note(_ event: LifecycleEvent) {
        switch event {
        case .restored(let activity): info("Activity restored", activity)
        case .created(let activity): info("Activity created", activity)
        case .adopted(let activity): info("Adopted push-started LA", activity)
        case .changed: break
        case .ended(let activity, .user): info("Activity dismissed by the user", activity)
        case .ended(let activity, let cause): info("Activity ended", activity, ["cause": "\(cause)"])
        case .gone(let activity): info("Activity left the screen", activity)
        case .absent(let activity):
            AppLogger.warning(
                "Activity missing from the system's list", category: .liveActivity, metadata: data(activity))
        case .cancelled(let activity): info("Scheduled activity cancelled", activity)
        case .permissionChanged(let permission):
            AppLogger.info(
                "Permission changed", category: .liveActivity,
                metadata: [
                    "shows": "\(permission.showsActivities)", "frequent": "\(permission.allowsFrequentPushes)",
                ])
        }
    }

    static func note(_ event: TokenEvent) {
        switch event {
        case .registered(let id, let match):
            AppLogger.info("Token registered", category: .liveActivity, metadata: data(id, match))
        case .overtaken(let id, let match):
            AppLogger.info("Token came after the end", category: .liveActivity, metadata: data(id, match))
        case .refused(let id, let match):
            AppLogger.warning("Token refused", category: .liveActivity, metadata: data(id, match))
        case .failed(let id, let match, let status):
            AppLogger.error(
                "Token failed", category: .liveActivity,
                metadata: data(id, match).merging(["status": "\(status)"]) { $1 })
        case .unwanted(let id):
            AppLogger.info(
                "Activity not wanted by the backend", category: .liveActivity, metadata: ["activity": "\(id)"])
        case .gone(let match):
            AppLogger.warning(
                "Activity of a followed match gone", category: .liveActivity, metadata: ["match": "\(match)"])
        }
    }

    /// A push started an activity whose match the user does not follow, or no longer.
    static func notAdopted(_ activity: PhoneActivity) {
        AppLogger.error("Failed to adopt push-started LA", category: .liveActivity, metadata: data(activity))
    }

    static func startRefused(_ match: MatchID, _ error: ActivityRequestError) {
        AppLogger.error(
            "Start refused by the system", error: error, category: .liveActivity, metadata: ["match": "\(match)"])
    }

    static func followFailed(_ match: MatchID, _ error: APIError) {
        AppLogger.warning("Follow failed", error: error, category: .liveActivity, metadata: ["match": "\(match)"])
    }

    private static func info(_ message: StaticString, _ activity: PhoneActivity, _ more: [String: String] = [:]) {
        AppLogger.info(message, category: .liveActivity, metadata: data(activity).merging(more) { $1 })
    }

    private static func data(_ activity: PhoneActivity) -> [String: String] { data(activity.id, activity.matchID) }

    private static func data(_ id: ActivityID, _ match: MatchID) -> [String: String] {
        ["activity": "\(id)", "match": "\(match)"]
    }
}
