import SightscreenModels
import Testing

@testable import DeviceLab

/// What `sightscreen up --once` ends with, and whether it is good.
@Suite struct MatchSummaryTests {
    private static let id = MatchID(7)

    private static func content(_ version: Int) -> ContentState {
        ContentState(
            version: version, matchDisplayState: .completed, matchSentiment: .neutral,
            compactLeading: .init(teamAbbr: "RR", score: "217/5"),
            compactTrailing: .init(overs: "20.0", runRate: "10.85"), minimal: .init(teamAbbr: "RR", score: "217/5"),
            expanded: .init(
                title: "RR v KKR", subtitle: "IPL", innings: [], batters: [], bowler: nil, recentBalls: [], target: nil,
                requiredRunRate: nil, equation: nil, lastEvent: nil, status: "RR won by 7 runs"))
    }

    private static func phone(
        _ id: String, version: Int? = 9, state: LabActivity.State = .ended, isOnline: Bool = true, activities: Int = 1,
        followButton: LabFollowButton.State = .filled
    ) -> LabPhoneSummary {
        let shown = version.map { version in
            (0..<activities).map {
                LabActivity(
                    id: "\(id)-\($0)", matchId: Self.id, state: state, isPushStarted: true, attributes: nil,
                    content: content(version), startedAtMs: 1, shownAtMs: 2)
            }
        }
        return LabPhoneSummary(
            LabPhoneState(
                id: id, name: id, user: id, isOnline: isOnline, activities: shown ?? [],
                followButtons: [LabFollowButton(matchId: Self.id, state: followButton)]))
    }

    private static func faults(_ phones: [LabPhoneSummary], isLast: Bool = true, version: Int = 9) -> [String] {
        MatchSummary(state: lab(isLast: isLast, version: version), phones: phones).faults
    }

    private static func lab(isLast: Bool = true, version: Int = 9, showing: Int = 0, speed: Double = 40) -> LabState {
        let match = LabMatch(
            id: id, title: "RR v KKR",
            tape: LabTapePosition(
                tapeId: "7", variant: "clean", cursor: 9, frames: 9, label: "", isPlaying: false, speed: speed,
                isLast: isLast),
            version: version, content: version > 0 ? content(version) : nil)
        var counts = LabState.Counts()
        counts.showing = showing
        return LabState(atMs: 1, matches: [match], stages: [], latency: LabLatency(), phones: counts, faults: .init())
    }

    @Test func anActivityThatStaysHoldsUpTheEndForAWhile() {
        for (speed, wait) in [(40.0, 60), (1, 1_800)] {
            var match = MatchEnd()
            let playing = match.isOver(Self.lab(isLast: false, showing: 2, speed: speed))
            let end = ContinuousClock.now
            let stays = Self.lab(showing: 1, speed: speed)
            let ends = [0, wait, wait + 1].map { match.isOver(stays, now: end.advanced(by: .seconds($0))) }
            let healthy = match.isOver(Self.lab(), now: end)
            #expect(!playing && healthy && ends == [false, false, true])
            var unseen = MatchEnd()
            let isOver = unseen.isOver(Self.lab(), now: end)
            #expect(!isOver, "nothing was on a Lock Screen yet")
        }
        let left = MatchSummary(state: Self.lab(showing: 3), phones: [Self.phone("a")])
        #expect(left.faults == ["3 Lock Screens were left with an activity that goes on"])
    }

    @Test func aMatchThatAllSawToItsEndIsGood() {
        #expect(
            Self.faults([Self.phone("a"), Self.phone("b"), Self.phone("c", version: nil, followButton: .empty)]) == [])
        #expect(Self.faults([Self.phone("a"), Self.phone("away", version: 3, state: .active, isOnline: false)]) == [])
    }

    @Test func whatAFollowerWouldNoticeIsAFault() {
        #expect(Self.faults([Self.phone("a", state: .active)]).count == 1)
        #expect(Self.faults([Self.phone("a", version: 8), Self.phone("b")]).count == 1)
        #expect(Self.faults([Self.phone("a", activities: 2)]).count == 1)
        #expect(Self.faults([Self.phone("a", version: nil), Self.phone("b")]).count == 1)
    }

    @Test func tellsHowOldNewBallsWereIfAnyWasMeasured() {
        var state = Self.lab()
        func line() -> String? {
            MatchSummary(state: state, phones: []).lines.first { $0.hasPrefix("  latency") }
        }
        #expect(line() == nil)
        state.latency = LabLatency(count: 67, p50Ms: 310, p95Ms: 620, maxMs: 900)
        #expect(line() == "  latency    new ball to Lock Screen: median 0.3 s, 95 % within 0.6 s (the last 67)")
    }

    @Test func aMatchThatNobodySawOrThatDidNotEndIsAFault() {
        #expect(Self.faults([Self.phone("a", version: nil, followButton: .empty)]).count == 1)
        #expect(Self.faults([Self.phone("a")], isLast: false) == ["no match was played to its end"])
        #expect(!Self.faults([Self.phone("a")], version: 0).isEmpty)
    }
}
