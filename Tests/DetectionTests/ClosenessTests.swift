import Cricket
import Detection
import SightscreenModels
import TestKit
import Testing

/// The best match owns the Dynamic Island.
@Suite struct ClosenessTests {
    /// A chase of `target` at `runs` for `wickets` after `balls` of 120 (or 300).
    static func chase(
        _ runs: Int, _ wickets: Int, balls: Int, target: Int, format: MatchFormat = .twenty20
    ) -> MatchSnapshot {
        var snapshot = TestScorebook(format: format, overs: format == .oneDay ? 50 : 20).snapshot
        let overs = format == .oneDay ? 50 : 20
        snapshot.phase = .innings(2)
        snapshot.innings = [
            ResultJudgeTests.innings(1, team: 1, (target - 1, 8), overs: overs),
            Innings(
                number: 2, battingTeamID: 2, runs: runs, wickets: wickets,
                overs: Overs(completed: balls / 6, balls: balls % 6), batting: [], bowling: [], balls: []),
        ]
        return snapshot
    }

    static func relevance(_ snapshot: MatchSnapshot) -> Double { Closeness(of: snapshot, isSettled: false).relevance }

    /// Of all that can be needed, one is the closest; away from it either way no match gets more relevant.
    @Test func awayFromTheClosestTheRelevanceFalls() {
        let seed = UInt64.random(in: 0..<1_000_000)
        print("Closeness seed \(seed)")
        var random = SeededGenerator(seed: seed)
        for _ in 0..<300 {
            let format: MatchFormat = Bool.random(using: &random) ? .twenty20 : .oneDay
            let balls = Int.random(in: 1..<(format == .oneDay ? 300 : 120), using: &random)
            let wickets = Int.random(in: 0...9, using: &random)
            let curve = (1...400).map { need in
                Self.relevance(Self.chase(100, wickets, balls: balls, target: 100 + need, format: format))
            }
            let top = curve.firstIndex(of: curve.max() ?? 0) ?? 0
            #expect(zip(curve[...top], curve[...top].dropFirst()).allSatisfy { $0 <= $1 }, "\(wickets) at \(balls)")
            #expect(zip(curve[top...], curve[top...].dropFirst()).allSatisfy { $0 >= $1 }, "\(wickets) at \(balls)")
            #expect(curve.allSatisfy { (0...100).contains($0) })
        }
    }

    @Test func aCloseFinishBeatsWhatIsOneSidedAndWhatIsEarly() {
        let finish = Self.relevance(Self.chase(165, 7, balls: 114, target: 175))
        let walkover = Self.relevance(Self.chase(170, 2, balls: 90, target: 175))
        let lost = Self.relevance(Self.chase(90, 9, balls: 114, target: 175))
        let early = Self.relevance(Self.chase(8, 0, balls: 6, target: 175))
        #expect(finish > early && finish > walkover && finish > lost)
        #expect(early > lost && finish > 80 && lost < 45)
    }

    /// Needing what is usual, the later the tenser.
    @Test func anEvenChaseGetsMoreRelevantToItsEnd() {
        // What can be expected of the balls left, with all wickets in hand.
        let curve = stride(from: 6, to: 120, by: 6).map { balls in
            let expected = Int((Double(120 - balls) / 6 * 8.6 * 1.1).rounded())
            return Self.relevance(Self.chase(60, 0, balls: balls, target: 60 + expected))
        }
        #expect(zip(curve, curve.dropFirst()).allSatisfy { $0 <= $1 + 0.2 }, "\(curve)")
    }

    @Test func whatDoesNotPlayIsLessRelevantThanWhatDoes() {
        var match = Self.chase(100, 3, balls: 80, target: 160)
        let inPlay = Self.relevance(match)
        for phase in [
            MatchPhase.interrupted, .lunch, .tea, .dinner, .stumps(day: 1), .abandoned, .cancelled, .postponed,
            .delayed,
            .notStarted,
        ] {
            match.phase = phase
            #expect(Self.relevance(match) < inPlay)
        }
        // The result is the news, unless another match is about to be decided.
        #expect(Closeness(of: match, isSettled: true).relevance < inPlay)
        #expect(
            Closeness(of: match, isSettled: true).relevance > Self.relevance(Self.chase(8, 0, balls: 6, target: 175)))
        match.phase = .innings(2)
        #expect(Closeness(of: match, isSettled: true).sentiment == .neutral)
    }

    @Test func aTenseFinishAndARunawayAreCalledSo() {
        #expect(Closeness(of: Self.chase(165, 7, balls: 114, target: 173), isSettled: false).sentiment == .tense)
        #expect(Closeness(of: Self.chase(150, 1, balls: 72, target: 160), isSettled: false).sentiment == .dominant)
        #expect(Closeness(of: Self.chase(120, 5, balls: 95, target: 175), isSettled: false).sentiment == .exciting)
        #expect(Closeness(of: Self.chase(40, 8, balls: 60, target: 200), isSettled: false).sentiment == .dominant)
    }
}
