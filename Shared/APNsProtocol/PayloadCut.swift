import Sightscreen

/// The steps that make a Live Activity payload fit, in the order in which they are taken, each only when the ones before
/// were not enough. What the compact views show goes last; ids are never touched.
public enum PayloadCut: Int, CaseIterable, Hashable, Sendable {
    /// `spoken`.
    case spoken
    /// Batters, bowler, teams, competition, title and subtitle to 48 bytes each.
    case names
    /// The two batters, the newest 6 of `recentBalls`, the newest 4 of `innings`.
    case lists
    /// `lastEvent.text`, `status` and `equation` to 96 bytes, the alert's title to 64 and its body to 160.
    case sentences
    /// `equation` and `requiredRunRate`, which follow from target, score and overs.
    case equation
    /// `bowler`.
    case bowler
    /// `recentBalls` and `batters`, which become empty, and `lastEvent`.
    case play
    /// `minimal` (the app falls back on `compactLeading`), `target`, `status`; every other text to 32 bytes, the newest
    /// 2 of `innings`.
    case everything

    func applied(to payload: LiveActivityPayload) -> LiveActivityPayload {
        var state = payload.contentState
        var alert = payload.alert
        var start = payload.start
        switch self {
        case .spoken:
            state.expanded.spoken = nil
        case .names:
            shortenNames(in: &state, to: 48)
            start?.attributes.shortenNames(to: 48)
        case .lists:
            state.expanded.batters = Array(state.expanded.batters.prefix(2))
            state.expanded.recentBalls = state.expanded.recentBalls.suffix(6)
            state.expanded.innings = state.expanded.innings.suffix(4)
        case .sentences:
            state.expanded.lastEvent?.text.shorten(to: 96)
            state.expanded.status?.shorten(to: 96)
            state.expanded.equation?.shorten(to: 96)
            alert?.title.shorten(to: 64)
            alert?.body.shorten(to: 160)
        case .equation:
            state.expanded.equation = nil
            state.expanded.requiredRunRate = nil
        case .bowler:
            state.expanded.bowler = nil
        case .play:
            state.expanded.recentBalls = []
            state.expanded.batters = []
            state.expanded.lastEvent = nil
        case .everything:
            reduceToScore(&state)
            alert?.title.shorten(to: 32)
            alert?.body.shorten(to: 64)
            start?.attributes.shortenNames(to: 32)
        }
        return payload.with(contentState: state, alert: alert, start: start)
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

extension LiveActivityAttributes {
    fileprivate mutating func shortenNames(to bytes: Int) {
        homeTeam.shorten(to: bytes)
        homeAbbr.shorten(to: bytes)
        awayTeam.shorten(to: bytes)
        awayAbbr.shorten(to: bytes)
        competition.shorten(to: bytes)
    }
}
