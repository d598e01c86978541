import Sightscreen

/// The steps that make a Live Activity payload fit, in the order in which they are taken, each only when the ones
/// before were not enough. The first five cost a reader little: they also bring a routine update to its aim. What the
/// compact views show goes last; ids are never touched. Only the push is cut; the state that is stored and asked for
/// stays whole.
///
/// `deploy/docs/content-state.md` tells the same order to whoever writes an app.
public enum PayloadCut: Int, CaseIterable, Hashable, Sendable {
    /// `minimal` when it is the same as `compactLeading`, on which the app falls back.
    case minimal
    /// `spoken` to its first sentence, the score.
    case spokenSentences
    /// The newest 6 of `recentBalls`: an over.
    case recentBalls
    /// `spoken`.
    case spoken
    /// `lastEvent`: whatever buzzed a phone came with its own push, which is no routine update.
    case lastEvent
    /// The newest 3 of `recentBalls`.
    case olderBalls
    /// `subtitle` to the competition: "IPL" of "IPL · Match 12".
    case subtitle
    /// Batters and bowler by their surnames; two batters of one surname keep their names.
    case surnames
    /// `target` where there is an `equation`, which says what of it is left.
    case target
    /// `requiredRunRate` where there is an `equation`, from which it follows.
    case requiredRunRate
    /// Batters, bowler, teams, competition, title and subtitle to 48 bytes each.
    case names
    /// The first two of `batters`, the newest 4 of `innings`.
    case lists
    /// `status` and `equation` to 96 bytes, the alert's title to 64 and its body to 160.
    case sentences
    /// `equation`, and a `requiredRunRate` that had none beside it.
    case equation
    /// `bowler`.
    case bowler
    /// `recentBalls` and `batters`, which become empty.
    case play
    /// `minimal`, `target`, `status`; every other text to 32 bytes, the alert's body to 64, the newest 2 of `innings`.
    case everything

    /// How many balls `recentBalls` and `olderBalls` leave.
    public static let recentBallsKept = 6, newestBallsKept = 3

    /// Whether it is also taken to bring a routine update to `PushPayload.routineBytesAim`.
    public var servesAim: Bool { self <= .lastEvent }

    func applied(to payload: LiveActivityPayload) -> LiveActivityPayload {
        var state = payload.contentState
        var alert = payload.alert
        var start = payload.start
        switch self {
        case .minimal:
            if state.minimal == state.compactLeading { state.minimal = nil }
        case .spokenSentences:
            state.expanded.spoken?.keepFirstSentence()
        case .recentBalls:
            state.expanded.recentBalls = state.expanded.recentBalls.suffix(Self.recentBallsKept)
        case .target:
            if state.expanded.equation != nil { state.expanded.target = nil }
        case .subtitle:
            state.expanded.subtitle.keepCompetition()
        case .surnames:
            useSurnames(in: &state)
        case .spoken:
            state.expanded.spoken = nil
        case .requiredRunRate:
            if state.expanded.equation != nil { state.expanded.requiredRunRate = nil }
        case .lastEvent:
            state.expanded.lastEvent = nil
        case .olderBalls:
            state.expanded.recentBalls = state.expanded.recentBalls.suffix(Self.newestBallsKept)
        case .names:
            shortenNames(in: &state, to: 48)
            start?.attributes.shortenNames(to: 48)
        case .lists:
            state.expanded.batters = Array(state.expanded.batters.prefix(2))
            state.expanded.innings = state.expanded.innings.suffix(4)
        case .sentences:
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
        case .everything:
            reduceToScore(&state)
            alert?.title.shorten(to: 32)
            alert?.body.shorten(to: 64)
            start?.attributes.shortenNames(to: 32)
        }
        return payload.with(contentState: state, alert: alert, start: start)
    }

    private func useSurnames(in state: inout ContentState) {
        if let bowler = state.expanded.bowler { state.expanded.bowler?.name = Surname.of(bowler.name) }
        let surnames = state.expanded.batters.map { Surname.of($0.name) }
        guard Set(surnames).count == surnames.count else { return }
        for (index, surname) in surnames.enumerated() { state.expanded.batters[index].name = surname }
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

extension PayloadCut: Comparable {
    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

extension String {
    /// "MI 87 for 6 after 12.3 overs. MI need 85 off 45 balls." → "MI 87 for 6 after 12.3 overs."
    fileprivate mutating func keepFirstSentence() {
        guard
            let end = utf8.indices.dropLast().first(where: { utf8[$0] == 0x2E && utf8[utf8.index(after: $0)] == 0x20 })
        else { return }
        self = String(self[...end])
    }
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
