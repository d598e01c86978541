import SightscreenModels

/// Decides whether this app or a push starts the activity of a match that the user follows.
enum LocalStartRule {
    /// Whether the app announces that it starts the activity itself, so that no push does. It does when it can, when
    /// the match has no activity here, and when there is a state to show.
    static func announces(_ match: MatchItem, showsActivities: Bool, runsHere: Bool) -> Bool {
        showsActivities && !runsHere && (match.status == .live || isInPlay(match.displayState))
    }

    /// Returns the content to start with after the backend's answer; nil when the app starts nothing. Without an
    /// announcement the backend sends a start.
    static func content(
        after response: FollowResponse, _ match: MatchItem, announced: Bool, showsActivities: Bool, runsHere: Bool
    ) -> ContentState? {
        guard announced, response.following, showsActivities, !runsHere,
            let state = response.displayState ?? match.displayState
        else { return nil }
        switch response.liveActivity {
        // `active` may mean another phone of the user.
        case .active, .starting: return state
        // No push can start the activity, but the app can.
        case .unavailable: return isInPlay(state) ? state : nil
        case .scheduled, .ended, .other: return nil
        }
    }

    private static func isInPlay(_ state: ContentState?) -> Bool {
        switch state?.matchDisplayState {
        case .live, .inningsBreak, .suspended: true
        case .scheduled, .completed, .abandoned, .other, nil: false
        }
    }
}

/// Decides the health of a match's activity after one has ended.
enum HealthRule {
    /// - Parameter others: the other activities of the match on this phone.
    static func health(after cause: EndCause, _ content: ContentState, others: [PhoneActivity]) -> ActivityHealth {
        if others.contains(where: \.isRunning) { return .running }
        switch cause {
        case .app, .user: return .idle
        case .stale: return .failed(.stale)
        case .outside(let age):
            if isOver(content) { return .idle }
            if age >= DismissalRule.lifetime { return .failed(.endedBySystem) }
            // A push ended it at stumps or between two sessions, and the reason is on screen.
            return content.expanded.status == nil ? .failed(.endedBySystem) : .idle
        }
    }

    /// Whether the match does not explain the end. The backend then knows whether it is still followed.
    static func asksTheBackend(_ cause: EndCause, _ content: ContentState) -> Bool {
        if case .outside = cause { return !isOver(content) }
        return false
    }

    private static func isOver(_ content: ContentState) -> Bool {
        content.matchDisplayState == .completed || content.matchDisplayState == .abandoned
    }
}

extension LiveActivityAttributes {
    /// Creates the attributes of an activity that the app starts. `startId` is empty, because no push started it.
    ///
    /// - Parameters:
    ///   - match: the match.
    ///   - teamID: the side that the user follows; nil for neither.
    init(_ match: MatchItem, followedTeamID teamID: String? = nil) {
        func team(_ side: MatchItem.Side) -> Team {
            Team(id: Int64(side.id) ?? 0, name: side.name, code: side.abbr)
        }
        self.init(
            matchID: match.id, startID: StartID(""), home: team(match.home), away: team(match.away),
            competition: match.competition, startsAt: match.startsAt ?? 0, followedTeamID: teamID)
    }
}
