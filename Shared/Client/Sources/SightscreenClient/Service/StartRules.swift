import SightscreenModels

/// Decides whether this app or a push starts the activity of a match that the user follows.
enum LocalStartRule {
    /// Whether the app announces that it starts the activity itself, so that no push does. It does when it can, when
    /// the match has no activity here or one that may have to move, and when there is a state to show.
    ///
    /// - Parameter running: the match's activity that runs here; nil when there is none.
    static func announces(_ match: MatchItem, showsActivities: Bool, running: PhoneActivity?) -> Bool {
        showsActivities && (running == nil || running?.channel != nil)
            && (match.status == .live || isInPlay(match.displayState))
    }

    /// Returns the content to start with after the backend's answer; nil when the app starts nothing. Without an
    /// announcement the backend sends a start.
    static func content(
        after response: FollowResponse, _ match: MatchItem, announced: Bool, showsActivities: Bool,
        running: PhoneActivity?
    ) -> ContentState? {
        guard announced, response.following, showsActivities, running.map({ moves($0, to: response.channel) }) ?? true,
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

    /// Whether an activity is replaced by one on another channel, or by one with a token. An activity with a token
    /// stays, because the backend can still update it.
    private static func moves(_ activity: PhoneActivity, to channel: BroadcastChannel?) -> Bool {
        activity.channel != nil && activity.channel != channel?.id
    }

    private static func isInPlay(_ state: ContentState?) -> Bool {
        switch state?.matchDisplayState {
        case .live, .inningsBreak, .suspended: true
        case .scheduled, .completed, .abandoned, .other, nil: false
        }
    }
}

/// Decides which activity a newer one of the same match replaces on this phone.
enum ReplacementRule {
    /// Whether the app ends an activity because a newer one of its match is there. Only the app can end one on a
    /// channel; the backend ends one with a token.
    static func ends(_ older: PhoneActivity, after newer: PhoneActivity) -> Bool {
        guard older.matchID == newer.matchID, older.id != newer.id, older.channel != nil else { return false }
        // A scheduled activity replaces only another scheduled one.
        return older.state == .pending || older.isRunning && newer.isRunning
    }
}

/// Decides when the activity of a match that is not in play appears by itself.
enum ScheduleRule {
    enum Step: Hashable, Sendable {
        case keep
        case cancel
        case schedule(LiveActivityAttributes, ActivitySchedule)
    }

    /// - Parameters:
    ///   - channel: the match's channel; nil for none.
    ///   - pending: the activity that is scheduled now; nil for none.
    ///   - teamID: the side that the user follows; nil for the known one.
    static func step(
        _ match: MatchItem, on channel: BroadcastChannel?, pending: PhoneActivity?, followedTeamID teamID: String?,
        now: Int
    ) -> Step {
        guard let channel, let startsAt = channel.startsAt, startsAt > now else {
            // The backend starts the activity by push, unless the scheduled one is about to appear.
            return pending.map { $0.attributes.startsAt > now } ?? false ? .cancel : .keep
        }
        var attributes = LiveActivityAttributes(
            match, followedTeamID: teamID ?? pending?.attributes.followedTeamId, channelID: channel.id)
        attributes.startsAt = startsAt
        var present = pending?.attributes
        // A logo is no reason for another card.
        present?.homeLogo = attributes.homeLogo
        present?.awayLogo = attributes.awayLogo
        guard attributes != present else { return .keep }
        let alert = PushAlert(title: "\(match.home.abbr) v \(match.away.abbr) starts soon", body: match.competition)
        return .schedule(attributes, ActivitySchedule(start: startsAt, alert: alert))
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
    ///   - channel: the channel that the activity listens to; nil for an update token.
    init(_ match: MatchItem, followedTeamID teamID: String? = nil, channelID channel: ChannelID? = nil) {
        func team(_ side: MatchItem.Side) -> Team {
            Team(id: Int64(side.id) ?? 0, name: side.name, code: side.abbr, logo: side.logo)
        }
        self.init(
            matchID: match.id, startID: StartID(""), home: team(match.home), away: team(match.away),
            competition: match.competition, startsAt: match.startsAt ?? 0, followedTeamID: teamID, channelID: channel)
    }
}

extension ContentState {
    /// Creates the state before play of a match that has no version yet.
    init(before match: MatchItem) {
        self.init(
            version: 0, matchDisplayState: .scheduled, matchSentiment: .neutral,
            compactLeading: .init(teamAbbr: match.home.abbr, score: ""),
            compactTrailing: .init(overs: "0.0", runRate: "0.00"), minimal: nil,
            expanded: .init(
                title: "\(match.home.abbr) v \(match.away.abbr)", subtitle: match.competition, innings: [], batters: [],
                bowler: nil, recentBalls: [], target: nil, requiredRunRate: nil, equation: nil, lastEvent: nil,
                status: nil))
    }
}
