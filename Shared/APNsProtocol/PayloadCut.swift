import Cricket
import SightscreenModels

/// The steps that make a Live Activity payload fit, in the order in which they are taken, each only when the ones
/// before were not enough. The first only a start has. The next five remove what is said twice or can be computed; they
/// also bring a routine update to its aim. What just happened, what is needed and who is in stay until a payload would
/// not fit at all; the content of the compact views goes last; ids are never touched. Only the push is cut; the state
/// that is stored and queried stays whole. A key that a released app requires stays and becomes "".
///
/// `deploy/docs/content-state.md` gives the same order to app developers.
public enum PayloadCut: Int, CaseIterable, Hashable, Sendable {
    /// The logos of a start's attributes.
    case logos
    /// `target` where there is an `equation`, which says what is left of it.
    case target
    /// `minimal` when it equals `compactLeading`, which the app shows in its place.
    case minimal
    /// The batters' strike rates and the bowler's economy.
    case playerRates
    /// `runRate`, and `requiredRunRate` where there is an `equation`, from which it follows.
    case runRates
    /// All but the newest 6 of `recentBalls`, an over.
    case recentBalls
    /// `title`, because the attributes name both sides. It is too short to matter to the aim.
    case title
    /// All but the newest 3 of `recentBalls`.
    case olderBalls
    /// `subtitle` down to the competition: "IPL" of "IPL · Match 12".
    case subtitle
    /// `partnership`, `session` and `asOf`.
    case standing
    /// Batters, bowler, title and subtitle, teams and competition to 48 bytes each.
    case names
    /// All but the first two of `batters` and the newest 4 of `innings`.
    case lists
    /// `status`, `equation`, `lastWicket`, the texts of `lastEvent` and `outcome` to 96 bytes, the alert's title to 64
    /// and its body to 160.
    case sentences
    /// `lastWicket`.
    case lastWicket
    /// `lastEvent`.
    case lastEvent
    /// `equation` and `requiredRunRate`.
    case equation
    /// `bowler`.
    case bowler
    /// `recentBalls` and `batters`, which become empty.
    case play
    /// `minimal`, `target`, `status`, and all but the newest 2 of `innings`; every other text to 32 bytes, the alert's
    /// body to 64.
    case everything

    /// The numbers of balls that `recentBalls` and `olderBalls` leave.
    public static let recentBallsKept = 6, newestBallsKept = 3

    /// Whether the cut also serves to bring a routine update to `PushPayload.routineBytesAim`.
    public var servesAim: Bool { self <= .recentBalls }

    func applied(to payload: LiveActivityPayload) -> LiveActivityPayload {
        var state = payload.contentState
        var alert = payload.alert
        var start = payload.start
        switch self {
        case .logos:
            start?.attributes.homeLogo = nil
            start?.attributes.awayLogo = nil
        case .target:
            if state.expanded.equation != nil { state.expanded.target = nil }
        case .title:
            state.expanded.title = ""
        case .minimal:
            if state.minimal == state.compactLeading { state.minimal = nil }
        case .playerRates:
            for index in state.expanded.batters.indices { state.expanded.batters[index].strikeRate = "" }
            state.expanded.bowler?.economy = ""
        case .runRates:
            state.compactTrailing.runRate = ""
            if state.expanded.equation != nil { state.expanded.requiredRunRate = nil }
        case .recentBalls:
            state.expanded.recentBalls = Self.newest(Self.recentBallsKept, of: state.expanded.recentBalls)
        case .olderBalls:
            state.expanded.recentBalls = Self.newest(Self.newestBallsKept, of: state.expanded.recentBalls)
        case .subtitle:
            state.expanded.subtitle.keepCompetition()
        case .standing:
            state.expanded.partnership = nil
            state.expanded.session = nil
            state.expanded.asOf = nil
        case .names:
            shortenNames(in: &state, to: 48)
            start?.attributes.shortenNames(to: 48)
        case .lists:
            state.expanded.batters = Array(state.expanded.batters.prefix(2))
            state.expanded.innings = state.expanded.innings.suffix(4)
        case .sentences:
            shortenSentences(in: &state, to: 96)
            alert?.title.shorten(to: 64)
            alert?.body.shorten(to: 160)
        case .lastWicket:
            state.expanded.lastWicket = nil
        case .lastEvent:
            state.expanded.lastEvent = nil
        case .equation:
            state.expanded.equation = nil
            state.expanded.requiredRunRate = nil
        case .bowler:
            state.expanded.bowler = nil
        case .play:
            state.expanded.recentBalls = []
            state.expanded.batters = []
        case .everything:
            reduceToScore(&state)
            alert?.title.shorten(to: 32)
            alert?.body.shorten(to: 64)
            start?.attributes.shortenNames(to: 32)
        }
        return payload.with(contentState: state, alert: alert, start: start)
    }

    /// Returns the newest balls, with the marks between them that end an over.
    private static func newest(_ count: Int, of balls: [String]) -> [String] {
        let places = balls.indices.filter { balls[$0] != ContentState.overEnd }
        return places.count > count ? Array(balls[places[places.count - count]...]) : balls
    }

    private func shortenSentences(in state: inout ContentState, to bytes: Int) {
        state.expanded.status?.shorten(to: bytes)
        state.expanded.equation?.shorten(to: bytes)
        state.expanded.lastWicket?.shorten(to: bytes)
        state.expanded.lastEvent?.text.shorten(to: bytes)
        state.expanded.outcome?.text.shorten(to: bytes)
    }

    private func shortenNames(in state: inout ContentState, to bytes: Int) {
        state.expanded.title.shorten(to: bytes)
        state.expanded.subtitle.shorten(to: bytes)
        state.expanded.bowler?.name.shorten(to: bytes)
        for index in state.expanded.batters.indices { state.expanded.batters[index].name.shorten(to: bytes) }
    }

    private func reduceToScore(_ state: inout ContentState) {
        state.minimal = nil
        state.expanded.target = nil
        state.expanded.status = nil
        state.expanded.innings = state.expanded.innings.suffix(2)
        shortenNames(in: &state, to: 32)
        state.expanded.outcome?.winnerAbbr?.shorten(to: 32)
        state.expanded.outcome?.text.shorten(to: 32)
        state.compactLeading.teamAbbr.shorten(to: 32)
        state.compactLeading.score.shorten(to: 32)
        state.compactTrailing.overs.shorten(to: 32)
        state.compactTrailing.runRate.shorten(to: 32)
        for index in state.expanded.innings.indices {
            state.expanded.innings[index].teamAbbr.shorten(to: 32)
            state.expanded.innings[index].score.shorten(to: 32)
            state.expanded.innings[index].overs.shorten(to: 32)
        }
    }
}

extension PayloadCut: Comparable {
    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

extension String {
    fileprivate mutating func keepCompetition() {
        if let end = ranges(of: " · ").first?.lowerBound, end > startIndex { self = String(self[..<end]) }
    }
}

extension LiveActivityAttributes {
    fileprivate mutating func shortenNames(to bytes: Int) {
        homeTeam.shorten(to: bytes)
        homeAbbr.shorten(to: bytes)
        awayTeam.shorten(to: bytes)
        awayAbbr.shorten(to: bytes)
        competition.shorten(to: bytes)
    }
}
