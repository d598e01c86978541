import Cricket
import PretendPhones
import SightscreenModels
import Testing

@testable import DeviceLab

@Suite struct BallClockTests {
    private let match = MatchID(7)

    private func time(_ clock: BallClock, _ score: String, _ overs: String) -> Int64? {
        clock.time(of: .pretend(score: score, overs: overs), match)
    }

    @Test func knowsABallByItsScoreAndOvers() {
        var clock = BallClock()
        clock.show("S1 12.3 87/6", of: match, atMs: 5)
        #expect(time(clock, "87/6", "12.3") == 5)
        #expect(time(clock, "87/6", "12.4") == nil)
        #expect(clock.time(of: .pretend(score: "87/6", overs: "12.3"), MatchID(8)) == nil)
    }

    @Test func countsTheLastBallOfAnOverAsAWholeOver() {
        var clock = BallClock()
        clock.show("S1 12.6 90/6", of: match, atMs: 5)
        #expect(time(clock, "90/6", "13.0") == 5)
    }

    @Test func knowsAWideThatLeavesTheOversAsTheyWere() {
        var clock = BallClock()
        clock.show("S1 12.3 87/6", of: match, atMs: 5)
        clock.show("S1 12.4 88/6", of: match, atMs: 6)
        #expect(time(clock, "88/6", "12.3") == 6)
        // The ball that replaces it, without a run.
        clock.show("S1 12.4 88/6", of: match, atMs: 7)
        #expect(time(clock, "88/6", "12.4") == 7)
        #expect(time(clock, "88/6", "12.3") == 6)
    }

    /// The card says "171 all out", the tape "171/10".
    @Test func knowsTheLastWicketOfASide() {
        var clock = BallClock()
        clock.show("S1 19.4 171/10", of: match, atMs: 5)
        var state = ContentState.pretend(score: "171", overs: "19.4")
        state.expanded.innings[1].allOut = true
        #expect(clock.time(of: state, match) == 5)
    }

    @Test(arguments: [
        "", "Innings Break", "S1", "S1 12 87/6", "S1 a.b 87/6", "S1 12.3 87", "S1 12.0 87/6", "12.3 87/6 ·",
    ])
    func takesNoOtherLabelForABall(_ label: String) {
        var clock = BallClock()
        clock.show(label, of: match, atMs: 5)
        #expect(time(clock, "87/6", "12.3") == nil)
    }

    @Test func readsALabelWithFlaws() {
        var clock = BallClock()
        clock.show("stale torn S1 12.3 87/6", of: match, atMs: 5)
        #expect(time(clock, "87/6", "12.3") == 5)
    }

    @Test func forgetsTheOldest() {
        var clock = BallClock()
        for run in 0...BallClock.ballsMax * 2 { clock.show("S1 1.1 \(run)/0", of: match, atMs: Int64(run)) }
        #expect(time(clock, "1/0", "1.1") == nil)
        #expect(time(clock, "\(BallClock.ballsMax * 2)/0", "1.1") != nil)
    }
}

@Suite struct LatencyWindowTests {
    @Test func isEmptyAtFirst() {
        let summary = LatencyWindow().summary
        #expect(summary.count == 0 && summary.p50Ms == nil && summary.maxMs == nil)
        #expect(summary.buckets.count == LatencyWindow.edges.count + 1)
    }

    @Test func tellsRanksAndBuckets() {
        var window = LatencyWindow()
        for ms in 1...100 { window.add(ms * 10) }
        let summary = window.summary
        #expect(summary.p50Ms == 500 && summary.p95Ms == 950 && summary.maxMs == 1_000 && summary.count == 100)
        #expect(summary.buckets.map(\.count) == [20, 20, 30, 30, 0, 0, 0, 0])
        window.add(60_000)
        #expect(window.summary.buckets.last == .init(ms: nil, count: 1))
    }

    @Test func keepsTheNewest() {
        var window = LatencyWindow()
        for _ in 0..<LatencyWindow.samplesMax { window.add(9_000) }
        for _ in 0..<LatencyWindow.samplesMax { window.add(100) }
        #expect(window.summary.count == LatencyWindow.samplesMax && window.summary.maxMs == 100)
    }
}
