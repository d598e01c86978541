import Activities
import Sightscreen
import Testing

@Suite struct ActivityLifeTests {
    /// Every state that can be reached × every event, against the table.
    @Test func everyStateAndEventHasItsOutcome() {
        var places: [LifeTable.State: LifeWalk.Place] = [:]
        var queue = [LifeWalk.Place()]
        places[LifeTable.State()] = queue[0]
        var compared = 0
        var seen: Set<LifeTable.Event> = []
        while !queue.isEmpty {
            // The shortest way to a state stands for it.
            let place = queue.removeFirst()
            guard let before = LifeWalk.state(of: place.life, place.now) else { continue }
            for event in LifeTable.Event.allCases {
                var next = place
                next.now = next.now + .seconds(1)
                guard LifeWalk.state(of: place.life, next.now) == before,
                    let real = LifeWalk.event(event, at: &next)
                else { continue }
                let intents = next.life.handle(real, at: next.now)
                guard let after = LifeWalk.state(of: next.life, next.now) else { continue }
                let (expected, pushes) = LifeTable.outcome(before, event)
                compared += 1
                seen.insert(event)
                guard after == expected, Self.pushes(intents) == pushes else {
                    Issue.record("\(before)\n\(event)\n→ \(after) \(intents)\nnot \(expected) \(pushes)")
                    return
                }
                if places[after] == nil {
                    places[after] = next
                    queue.append(next)
                }
            }
        }
        #expect(seen.count == LifeTable.Event.allCases.count)
        #expect(places.count > 500, "\(places.count) states")
        #expect(compared > 15_000, "\(compared) pairs")
    }

    private static let begin = Moment(seconds: 1_000_000)
    private static let first = UpdateToken("t1"), second = UpdateToken("t2")
    private static let shown = ActivityID("a1")

    /// Followed, live, on a phone that can be started.
    private static func life() -> ActivityLife {
        var life = ActivityLife()
        _ = life.handle(.startTokenReported(PushToStartToken("s1")), at: begin)
        _ = life.handle(.followed(startsLocally: false), at: begin)
        _ = life.handle(.matchBecame(.live), at: begin)
        _ = life.handle(.passDue, at: begin)
        return life
    }

    @Test func aLateReportOfAReplacedTokenChangesNothing() {
        var life = Self.life()
        for token in [Self.first, Self.second] {
            _ = life.handle(.tokenReported(token, activity: Self.shown, start: nil), at: Self.begin)
        }
        #expect(life.current?.token == Self.second)
        let again = life.handle(.tokenReported(Self.first, activity: Self.shown, start: nil), at: Self.begin)
        #expect(again.isEmpty)
        #expect(life.current?.token == Self.second)
        // Nor does it take the end away from the one that counts.
        _ = life.handle(.unfollowed, at: Self.begin)
        _ = life.handle(.tokenReported(Self.first, activity: Self.shown, start: nil), at: Self.begin)
        #expect(life.handle(.endDue, at: Self.begin) == [.endPush(Self.second, .now)])
    }

    @Test(arguments: [(-5, true), (0, false), (5, false)])
    func aVerdictFromBeforeTheRegistrationCountsNeitherNowNorLater(seconds: Int, isActive: Bool) {
        var life = Self.life()
        _ = life.handle(.tokenReported(Self.first, activity: Self.shown, start: nil), at: Self.begin)
        let verdict = ActivityEvent.updateAnswered(Self.first, .tokenDead(since: Self.begin + .seconds(seconds)))
        for later in [10, 10_000] where isActive || later == 10 {
            _ = life.handle(verdict, at: Self.begin + .seconds(later))
            #expect((life.current != nil) == isActive)
        }
    }

    @Test func anEndThatNobodyNeedsAnyMoreIsDroppedWhenItFails() {
        var life = Self.life()
        func fail(_ seconds: Int) {
            _ = life.handle(.endAnswered(Self.first, .again(after: .seconds(1))), at: after(seconds))
        }
        func after(_ seconds: Int) -> Moment { Self.begin + .seconds(seconds) }
        _ = life.handle(.tokenReported(Self.first, activity: Self.shown, start: nil), at: Self.begin)
        _ = life.handle(.unfollowed, at: Self.begin)
        fail(4 * 3_600)
        #expect(life.generations[0].endPush.isDue)
        _ = life.handle(.passDue, at: after(5 * 3_600))
        #expect(life.generations[0].endPush.isDue, "it is tried once, however late")
        fail(5 * 3_600)
        #expect(life.generations[0].endPush == .dropped)
        // Another token of it comes: its end is owed from now on.
        _ = life.handle(.tokenReported(Self.second, activity: Self.shown, start: nil), at: after(6 * 3_600))
        _ = life.handle(.endAnswered(Self.second, .again(after: .seconds(1))), at: after(7 * 3_600))
        #expect(life.generations[0].endPush.isDue)
    }

    @Test func aRefusedStartIsDealtWithAtOnceAndTheSameTokenGetsNoSecondSilentPush() {
        var life = Self.life()
        func pass(_ seconds: Int) -> [ActivityIntent] { life.handle(.passDue, at: Self.begin + .seconds(seconds)) }
        func refuse(_ seconds: Int) {
            let start = StartID("p\(seconds)")
            _ = life.handle(.startDue(start, sent: StartPolicy.Sent()), at: Self.begin + .seconds(seconds))
            _ = life.handle(
                .startAnswered(start, to: PushToStartToken("s1"), .refused), at: Self.begin + .seconds(seconds))
        }
        refuse(0)
        #expect(pass(1) == [.silentPush])
        _ = life.handle(.appRegistered(allows: true, runs: false), at: Self.begin + .seconds(10))
        refuse(20)
        #expect(pass(21) == [])
        #expect(life.phone.fallback.step == .passive)
        // Another token is another chance.
        _ = life.handle(.startTokenReported(PushToStartToken("s2")), at: Self.begin + .seconds(30))
        refuse(40)
        #expect(pass(41) == [.silentPush])
    }

    @Test func anAnswerToAStartSaysNothingAboutTheRenewalOfWhatItStarted() {
        var life = Self.life()
        let start = StartID("p1")
        _ = life.handle(.startDue(start, sent: StartPolicy.Sent()), at: Self.begin)
        _ = life.handle(.tokenReported(Self.first, activity: Self.shown, start: start), at: Self.begin)
        let before = life
        for verdict in [StartVerdict.notProcessed(retryAfter: .seconds(60)), .refused] {
            _ = life.handle(.startAnswered(start, to: PushToStartToken("s1"), verdict), at: Self.begin)
            #expect(life == before)
        }
    }

    @Test func aPhoneThatAnswersNoStartGetsASilentPushThenAVisibleOne() {
        var life = Self.life()
        var pushes: [(Int, ActivityIntent)] = []
        for second in stride(from: 0, through: 3_600, by: 30) {
            let now = Self.begin + .seconds(second)
            let sent = life.handle(.startDue(StartID("p\(second)"), sent: StartPolicy.Sent()), at: now)
            pushes += (sent + life.handle(.passDue, at: now)).map { (second, $0) }
        }
        #expect(pushes.count { if case .startPush = $0.1 { true } else { false } } == 3)
        #expect(pushes.map(\.0) == [0, 120, 360, 840, 960])
        #expect(pushes.suffix(2).map(\.1) == [.silentPush, .visiblePush])
    }

    private static func pushes(_ intents: [ActivityIntent]) -> Set<LifeTable.Push> {
        var pushes: Set<LifeTable.Push> = []
        for intent in intents {
            switch intent {
            case .startPush: pushes.insert(.start)
            case .renewalPush: pushes.insert(.renewal)
            case .endPush(_, .now): pushes.insert(.endNow)
            case .endPush(_, .linger): pushes.insert(.endLingering)
            case .pushState: pushes.insert(.state)
            case .unfollow: pushes.insert(.unfollow)
            case .retireStartToken: pushes.insert(.retireStartToken)
            case .silentPush, .visiblePush: break
            }
        }
        return pushes
    }
}
