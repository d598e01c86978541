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

    @Test(arguments: [(0, true), (599, true), (600, false)])
    func aVerdictFromBeforeTheRegistrationCountsOnlyWhenItIsStillSaidLater(seconds: Int, isActive: Bool) {
        var life = Self.life()
        _ = life.handle(.tokenReported(Self.first, activity: Self.shown, start: nil), at: Self.begin)
        let verdict = ActivityEvent.updateAnswered(Self.first, .tokenDead(since: Self.begin - .seconds(5)))
        _ = life.handle(verdict, at: Self.begin + .seconds(seconds))
        #expect((life.current != nil) == isActive)
    }

    @Test func anEndThatNobodyNeedsAnyMoreIsDropped() {
        var life = Self.life()
        _ = life.handle(.tokenReported(Self.first, activity: Self.shown, start: nil), at: Self.begin)
        _ = life.handle(.unfollowed, at: Self.begin)
        _ = life.handle(.passDue, at: Self.begin + .seconds(4 * 3_600))
        #expect(life.generations[0].endPush.isDue)
        _ = life.handle(.passDue, at: Self.begin + .seconds(4 * 3_600 + 1))
        #expect(life.generations[0].endPush == .dropped)
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
