import Sightscreen

/// Drops what is no longer news: what the state has overtaken, and what is too old to buzz a phone.
enum StalenessFilter {
    /// When an event happened, in milliseconds: the ball row's own time, but not before the frame that did not show it
    /// yet, nor after the one that does.
    ///
    /// - Parameters:
    ///   - earlier: when the last frame before was fetched; nil at the first frame, whose events keep their own time.
    static func moment(of event: MatchEvent, earlier: Int64?, fetchedAt: Int64) -> Int64 {
        let own = Int64(clamping: event.at).multipliedReportingOverflow(by: 1_000)
        let at = own.overflow ? 0 : own.partialValue
        return min(max(at, earlier ?? 0), fetchedAt)
    }

    static func isFresh(_ moment: Int64, now: Int64, within freshness: Int64) -> Bool { now - moment <= freshness }

    /// Whether the match has moved past `event`: a fifty when the batter has 100, a new batter who is out again, the
    /// break before an innings that is on.
    static func isOvertaken(_ event: MatchEvent, by all: [MatchEvent], in snapshot: MatchSnapshot) -> Bool {
        switch event.kind {
        case .milestone, .consecutiveSixes:
            return all.contains {
                $0.kind == event.kind && $0.innings == event.innings && $0.playerID == event.playerID
                    && ($0.value ?? 0) > (event.value ?? 0)
            }
        case .onHatTrick, .hatTrick:
            return all.contains {
                $0.kind == .hatTrick && $0.innings == event.innings && $0.playerID == event.playerID
                    && ($0.value ?? 0) > (event.value ?? 0) && ($0.ballID ?? 0) > (event.ballID ?? 0)
                    && isOneStreak(event, $0, in: snapshot)
            }
        case .nineties:
            return all.contains {
                $0.kind == .milestone && $0.innings == event.innings && $0.playerID == event.playerID
                    && ($0.value ?? 0) >= 100
            }
        case .newBatter:
            return all.contains {
                $0.kind == .wicket && $0.innings == event.innings && $0.playerID == event.playerID
            }
        case .inningsBreak:
            guard let number = event.innings else { return false }
            return snapshot.innings.contains { $0.number > number && !$0.balls.isEmpty }
        default:
            return false
        }
    }

    /// Whether nothing but wickets of the bowler lies between two of their streak events.
    private static func isOneStreak(_ first: MatchEvent, _ last: MatchEvent, in snapshot: MatchSnapshot) -> Bool {
        guard let from = first.ballID, let to = last.ballID,
            let innings = snapshot.innings.first(where: { $0.number == first.innings })
        else { return false }
        return innings.balls.allSatisfy {
            $0.id <= from || $0.id > to || $0.bowlerID != first.playerID || $0.howOut?.isBowlers == true
        }
    }
}
