import SightscreenModels

/// Who starts the activity of a match that the user follows: this app, or a push.
enum LocalStartRule {
    /// Whether the app says that it starts the activity itself, so that no push does: it can, there is none, and there is
    /// something to show.
    static func announces(_ match: MatchItem, showsActivities: Bool, runsHere: Bool) -> Bool {
        showsActivities && !runsHere && (match.status == .live || isInPlay(match.displayState))
    }

    /// What to start with, now that the backend has answered; nil: nothing is started here. Without an announcement the
    /// backend sends a start.
    static func content(
        after response: FollowResponse, _ match: MatchItem, announced: Bool, showsActivities: Bool, runsHere: Bool
    ) -> ContentState? {
        guard announced, response.following, showsActivities, !runsHere,
            let state = response.displayState ?? match.displayState
        else { return nil }
        switch response.liveActivity {
        // Active may be said of another phone of the user's.
        case .active, .starting: return state
        // Nothing can be started by push, but here it can.
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

/// How a match's activity does after one has ended.
enum HealthRule {
    /// - Parameter others: further activities of the match on this phone.
    static func health(after cause: EndCause, _ content: ContentState, others: [PhoneActivity]) -> ActivityHealth {
        if others.contains(where: \.isRunning) { return .running }
        switch cause {
        case .app, .user: return .idle
        case .stale: return .failed(.stale)
        case .outside(let age):
            if isOver(content) { return .idle }
            if age >= DismissalRule.lifetime { return .failed(.endedBySystem) }
            // Ended by a push at stumps, or between two sessions: there is a reason on the screen.
            return content.expanded.status == nil ? .failed(.endedBySystem) : .idle
        }
    }

    /// An end that the match does not explain: the backend knows whether it is still followed.
    static func asksTheBackend(_ cause: EndCause, _ content: ContentState) -> Bool {
        if case .outside = cause { return !isOver(content) }
        return false
    }

    private static func isOver(_ content: ContentState) -> Bool {
        content.matchDisplayState == .completed || content.matchDisplayState == .abandoned
    }
}

extension LiveActivityAttributes {
    /// Of an activity that the app starts: no push has started it, so `startId` is empty.
    /// - Parameter teamID: the side that the user follows, if one.
    init(_ match: MatchItem, followedTeamID teamID: String? = nil) {
        func team(_ side: MatchItem.Side) -> Team {
            Team(id: Int64(side.id) ?? 0, name: side.name, code: side.abbr)
        }
        self.init(
            matchID: match.id, startID: StartID(""), home: team(match.home), away: team(match.away),
            competition: match.competition, startsAt: match.startsAt ?? 0, followedTeamID: teamID)
    }
}
