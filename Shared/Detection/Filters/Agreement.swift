import Cricket
import SightscreenModels

/// How the parts of a frame agree on an event. The provider's first word on a ball is often wrong, so an alert needs
/// two parts of one frame that agree (the ball, and a batting row, bowling row or total), or two frames that show the
/// event and do not contradict it.
enum Agreement: Equatable {
    /// Two parts of the frame show the event.
    case agrees
    /// Nothing else in the frame says anything about the event.
    case silent
    /// The rest of the frame contradicts the event: the answer is torn, or the ball is about to be corrected.
    case contradicts

    /// Whether an alert may go out. An alert that may not waits until it may, or until it is no longer fresh.
    ///
    /// - Parameter age: milliseconds since the first frame that showed the event; 0 in that frame.
    func suffices(after age: Int64) -> Bool {
        switch self {
        case .agrees: true
        case .silent: age > 0
        case .contradicts: false
        }
    }

    init(on event: MatchEvent, among all: [MatchEvent], in snapshot: MatchSnapshot) {
        self = .silent
        if event.kind == .matchResult {
            self = .agrees
            return
        }
        guard let innings = snapshot.innings.first(where: { $0.number == event.innings }) else { return }
        switch event.kind {
        case .wicket: self = Self.wicket(event, in: innings)
        case .milestone:
            guard event.ballID != nil else {
                if Self.hasAllBalls(of: event.batterID, in: innings) { self = .contradicts }
                return
            }
            self = Self.row(of: event.batterID, in: innings) { $0.runs >= (event.value ?? 50) }
        case .batterOnFire:
            guard event.ballID != nil else { return }
            self = Self.row(of: event.batterID, in: innings) {
                BatterTally(runs: $0.runs, faced: $0.ballsFaced).isOnFire
            }
        case .onHatTrick, .hatTrick, .bowlerOnFire, .fiveWickets:
            let taken = innings.balls.reduce(0) {
                $0 + ($1.bowlerID == event.playerID && $1.howOut?.isBowlers == true ? 1 : 0)
            }
            guard let line = innings.bowling.first(where: { $0.playerID == event.playerID }) else { return }
            // Without the balls only the figures speak, and the event stays `silent`.
            if event.ballID != nil { self = taken > 0 && line.wickets >= taken ? .agrees : .contradicts }
        case .maidenOver:
            let line = innings.bowling.first { $0.playerID == event.playerID }
            let maidens = all.count {
                $0.kind == .maidenOver && $0.innings == event.innings && $0.playerID == event.playerID
            }
            // The provider counts a maiden when it closes the over, which may be a moment later.
            self = (line?.maidens ?? 0) >= maidens ? .agrees : .silent
        case .inningsBreak: self = Self.isOver(innings, in: snapshot) ? .agrees : .silent
        case .closeFinish:
            let need = MatchSituation(snapshot).chase?.need ?? 0
            self = LastOver.closeRuns.contains(need) ? .agrees : .contradicts
        case .stumps, .suspended, .resumed, .toss, .targetRevised: break
        default: self = .agrees
        }
    }

    private static func row(
        of player: Int64?, in innings: Innings, _ holds: (BattingLine) -> Bool
    ) -> Agreement {
        guard let line = innings.batting.first(where: { $0.playerID == player }) else { return .silent }
        return holds(line) ? .agrees : .contradicts
    }

    /// Whether the frame has all the balls that the batter's row counts as faced; then a milestone they do not add up
    /// to is contradicted.
    private static func hasAllBalls(of batter: Int64?, in innings: Innings) -> Bool {
        guard let line = innings.batting.first(where: { $0.playerID == batter }) else { return false }
        return innings.balls.count { $0.strikerID == batter && $0.wides == 0 } >= line.ballsFaced
    }

    /// A wicket needs two of the ball, the batting row and the total. Without a ball, it is contradicted when the ball
    /// on which the row has it is there and shows none.
    private static func wicket(_ event: MatchEvent, in innings: Innings) -> Agreement {
        let row = innings.batting.first { $0.playerID == event.playerID }
        if event.ballID == nil, let label = row?.fellOn,
            let ball = innings.balls.last(where: { $0.label == label }), ball.outID == nil,
            ball.strikerID == event.playerID || ball.nonStrikerID == event.playerID
        {
            return .contradicts
        }
        let rowIsOut = row?.dismissal != nil
        let ballIsOut = innings.balls.contains { $0.outID == event.playerID && $0.id == event.ballID }
        let out = Set(innings.balls.compactMap(\.outID))
            .union(innings.batting.filter { $0.dismissal != nil }.map(\.playerID))
        // Where the provider gives no total, the total is worked out from the balls and proves nothing more.
        let totalAgrees = innings.hasTotal && innings.wickets >= out.count
        let votes = [rowIsOut, ballIsOut, totalAgrees].count { $0 }
        return votes >= 2 ? .agrees : row == nil ? .silent : .contradicts
    }

    /// Whether the innings is over: the next innings has its row, or the figures say that this one can be over.
    private static func isOver(_ innings: Innings, in snapshot: MatchSnapshot) -> Bool {
        if snapshot.innings.contains(where: { $0.number > innings.number }) { return true }
        let isSuper = MatchSituation.isSuperOver(innings.number, in: snapshot)
        if innings.wickets >= (isSuper ? 2 : 10) { return true }
        guard let balls = isSuper ? snapshot.ballsPerOver : MatchSituation.chaseBalls(in: snapshot) else {
            return false
        }
        return innings.overs.legalBalls >= balls
    }
}
