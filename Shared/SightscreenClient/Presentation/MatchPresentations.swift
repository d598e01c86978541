public import APNsProtocol
public import Sightscreen

/// Where a Live Activity is shown. An app has to have all six.
public enum Presentation: String, Hashable, Sendable, CaseIterable {
    case compactLeading, compactTrailing, minimal, expanded, lockScreen
    /// Apple Watch and CarPlay.
    case small
}

/// What each presentation shows of a match: the texts of the content state as they came, and nothing else. The widget
/// lays them out, and so does every stand-in for it.
public struct MatchPresentations: Hashable, Sendable {
    public let state: ContentState
    public let attributes: LiveActivityAttributes
    /// The content is out of date: it is shown as such.
    public let isStale: Bool

    public init(state: ContentState, attributes: LiveActivityAttributes, isStale: Bool) {
        self.state = state
        self.attributes = attributes
        self.isStale = isStale
    }

    public init(_ activity: PhoneActivity) {
        self.init(
            state: activity.content.state, attributes: activity.attributes, isStale: activity.state == .stale)
    }

    /// Left of the camera.
    public var compactLeading: ContentState.CompactLeading { state.compactLeading }

    /// Right of the camera.
    public var compactTrailing: ContentState.CompactTrailing { state.compactTrailing }

    /// The round one, beside another activity. A push leaves it out where it says the same as `compactLeading`.
    public var minimal: ContentState.CompactLeading { state.minimal ?? state.compactLeading }

    public var expanded: ContentState.Expanded { state.expanded }

    /// The Lock Screen has room for all of it, too.
    public var lockScreen: ContentState.Expanded { state.expanded }

    public var small: Small {
        Small(
            score: state.compactLeading, rate: state.compactTrailing,
            line: state.expanded.status ?? state.expanded.equation)
    }

    /// Two lines on a wrist or a dashboard.
    public struct Small: Hashable, Sendable {
        public var score: ContentState.CompactLeading
        public var rate: ContentState.CompactTrailing
        /// Why there is no play, the result, or what is needed.
        public var line: String?
    }

    /// The texts of a presentation, in reading order; without the empty ones.
    public func texts(of presentation: Presentation) -> [String] {
        let texts: [String?] =
            switch presentation {
            case .compactLeading: [compactLeading.teamAbbr, compactLeading.score]
            case .compactTrailing: [compactTrailing.overs, compactTrailing.runRate]
            case .minimal: [minimal.teamAbbr, minimal.score]
            case .expanded: expanded.texts
            case .lockScreen: lockScreen.texts
            case .small: [small.score.teamAbbr, small.score.score, small.rate.overs, small.line]
            }
        return texts.compactMap { $0 }.filter { !$0.isEmpty }
    }
}

extension ContentState.Expanded {
    fileprivate var texts: [String?] {
        var texts: [String?] = [title, subtitle]
        for innings in innings { texts += [innings.teamAbbr, innings.score, innings.overs] }
        for batter in batters { texts += [batter.name, batter.score, batter.strikeRate] }
        texts += [bowler?.name, bowler?.figures, bowler?.economy]
        for ball in recentBalls { texts.append(ball) }
        texts += [target, requiredRunRate, equation, lastEvent?.text, status]
        return texts
    }
}
