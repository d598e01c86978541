import MatchEventBus
import Activities
import Cricket
import Postgres
import SightscreenModels
import Store
import TestKit

/// A match of the differential test: how far it is, and how event-bus and the schedule say so.
struct LifeMatch: Sendable {
    let id: MatchID
    let lease: Lease
    /// It is in play most of the time, so that activities grow old.
    let isSteady: Bool
    var phase = LifePhase.notLive
    private var version = 0

    init(id: MatchID, lease: Lease, isSteady: Bool) {
        (self.id, self.lease, self.isSteady) = (id, lease, isSteady)
    }

    /// The next phase; nil when it stays as it is. What ends a match is the pass.
    func next(_ random: inout SeededGenerator) -> LifePhase? {
        let inPlay: [LifePhase] = [.live, .live, .inBreak, .suspended]
        if phase == .notLive { return random.chance(0.7) ? .live : nil }
        guard random.chance(isSteady ? 0.3 : 0.2) else { return nil }
        let others: [LifePhase] =
            isSteady ? inPlay : inPlay + inPlay + [.stumps, .settled, .settled, .notLive]
        guard let next = others.randomElement(using: &random), next != phase, phase != .ended || next != .settled else {
            return nil
        }
        return next
    }

    /// A version that brings it to the phase.
    mutating func become(_ phase: LifePhase, _ pool: PostgresPool, _ random: inout SeededGenerator) async throws {
        let isLunch = random.chance(0.5)
        let displayState: MatchDisplayState =
            switch phase {
            case .notLive: .scheduled
            case .live, .stumps: .live
            case .inBreak: isLunch ? .live : .inningsBreak
            case .suspended: .suspended
            case .settled, .ended: random.chance(0.3) ? .abandoned : .completed
            }
        // A result may be waited for after the provider has called the match finished.
        let isSettled = displayState == .completed && random.chance(0.8)
        _ = try await MatchStore(pool: pool).commit(
            MatchCommit(
                matchID: id, lease: lease, previousVersion: MatchVersion(version), displayState: displayState,
                contentState: "{}", events: "[]", retracted: "[]", alert: nil, priority: 5,
                relevance: 50, machine: "{}", atStumps: phase == .stumps, isSuspended: phase == .suspended,
                isLive: phase.isInPlay || phase == .stumps, isSettled: isSettled,
                phase: phase == .inBreak && isLunch ? "lunch" : "\(phase)",
                isBreak: phase == .inBreak || phase == .suspended || phase == .stumps))
        version += 1
        self.phase = phase
        try await schedule(phase == .notLive ? "NS" : phase == .settled ? "Finished" : "1st Innings", pool)
    }

    /// What the provider's schedule says of it.
    func schedule(_ status: String, _ pool: PostgresPool) async throws {
        try await pool.execute(
            """
            INSERT INTO fixtures (match_id, league_id, competition, format, status, starts_at, home_id, home_name,
                home_code, away_id, away_name, away_code)
            VALUES ($1, 1, 'League', 'twenty20', $2, clock_timestamp(), 1, 'A', 'A', 2, 'B', 'B')
            ON CONFLICT (match_id) DO UPDATE SET status = excluded.status
            """, [.int(id.rawValue), .text(status)])
    }
}
