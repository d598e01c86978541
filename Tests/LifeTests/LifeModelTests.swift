import Activities
import SightscreenModels
import Testing

@Suite struct LifeModelTests {
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
    private static func life() -> LifeModel {
        var life = LifeModel()
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
    func anAnswerFromBeforeTheRegistrationCountsNeitherNowNorLater(seconds: Int, isActive: Bool) {
        var life = Self.life()
        _ = life.handle(.tokenReported(Self.first, activity: Self.shown, start: nil), at: Self.begin)
        let answer = LifeEvent.updateAnswered(Self.first, .tokenDead(since: Self.begin + .seconds(seconds)))
        for later in [10, 10_000] where isActive || later == 10 {
            _ = life.handle(answer, at: Self.begin + .seconds(later))
            #expect((life.current != nil) == isActive)
        }
    }

    @Test func anEndThatNobodyNeedsAnyMoreIsDroppedWhenItFails() {
        var life = Self.life()
        func fail(_ seconds: Int) {
            _ = life.handle(.endAnswered(Self.first, .retry(after: .seconds(1))), at: after(seconds))
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
        _ = life.handle(.endAnswered(Self.second, .retry(after: .seconds(1))), at: after(7 * 3_600))
        #expect(life.generations[0].endPush.isDue)
    }

    @Test func aRefusedStartIsDealtWithAtOnceAndTheSameTokenGetsNoSecondSilentPush() {
        var life = Self.life()
        func pass(_ seconds: Int) -> [LifeIntent] { life.handle(.passDue, at: Self.begin + .seconds(seconds)) }
        func refuse(_ seconds: Int) {
            let start = StartID("p\(seconds)")
            _ = life.handle(.startDue(start, sent: ModelStarts.Sent()), at: Self.begin + .seconds(seconds))
            _ = life.handle(
                .startAnswered(start, to: PushToStartToken("s1"), .refused), at: Self.begin + .seconds(seconds))
        }
        refuse(0)
        #expect(pass(1) == [.silentPush])
        _ = life.handle(.appRegistered(allows: true, cards: nil), at: Self.begin + .seconds(10))
        refuse(20)
        #expect(pass(21) == [])
        #expect(life.phone.fallback.step == .passive)
        // Another token is another chance, after the hour.
        _ = life.handle(.startTokenReported(PushToStartToken("s2")), at: Self.begin + .seconds(3_600))
        refuse(3_610)
        #expect(pass(3_611) == [.silentPush])
    }

    @Test func anAnswerToAStartSaysNothingAboutTheRenewalOfWhatItStarted() {
        var life = Self.life()
        let start = StartID("p1")
        _ = life.handle(.startDue(start, sent: ModelStarts.Sent()), at: Self.begin)
        _ = life.handle(.tokenReported(Self.first, activity: Self.shown, start: start), at: Self.begin)
        let before = life
        for answer in [StartAnswer.notProcessed(retryAfter: .seconds(60)), .refused] {
            _ = life.handle(.startAnswered(start, to: PushToStartToken("s1"), answer), at: Self.begin)
            #expect(life == before)
        }
    }

    @Test func aPhoneThatAnswersNoStartGetsASilentPushThenAVisibleOne() {
        var life = Self.life()
        var pushes: [(Int, LifeIntent)] = []
        for second in stride(from: 0, through: 3_600, by: 30) {
            let now = Self.begin + .seconds(second)
            let sent = life.handle(.startDue(StartID("p\(second)"), sent: ModelStarts.Sent()), at: now)
            pushes += (sent + life.handle(.passDue, at: now)).map { (second, $0) }
        }
        #expect(pushes.count { if case .startPush = $0.1 { true } else { false } } == 3)
        // The silent one with the second try, the visible one when that stays unanswered, beside the third.
        #expect(pushes.map(\.0) == [0, 120, 120, 360, 360])
        #expect(pushes[2].1 == .silentPush && pushes[4].1 == .visiblePush)
    }

    /// Followed, live, shown since `begin`; its token is called dead after so many seconds.
    private static func missing(after seconds: Int) -> LifeModel {
        var life = life()
        _ = life.handle(.tokenReported(first, activity: shown, start: nil), at: begin)
        _ = life.handle(.updateAnswered(first, .tokenDead(since: nil)), at: begin + .seconds(seconds))
        return life
    }

    @Test func aDeadTokenStartsNothingByItselfAndAsksThePhone() {
        var life = Self.missing(after: 60)
        #expect(life.generations[0].card == .unknown)
        #expect(life.generations[0].reason == .tokenInvalid)
        #expect(life.handle(.passDue, at: Self.begin + .seconds(90)) == [.silentPush])
        #expect(life.handle(.passDue, at: Self.begin + .seconds(7_200)) == [])
        #expect(life.generations.count == 1)
        #expect(
            life.handle(.startDue(StartID("p"), sent: ModelStarts.Sent()), at: Self.begin + .seconds(7_200)).isEmpty)
    }

    @Test(arguments: [
        // Absent, and nothing but a swipe explains it.
        (60, nil, false), (60, -10, false), (60, 0, false), (27_000, nil, false),
        // Restarted since, or too old.
        (60, 1, true), (60, 70, true), (27_001, nil, true),
    ])
    func anAbsentCardIsLostOnlyWhereARestartOrItsAgeExplainsIt(died: Int, booted: Int?, isLost: Bool) {
        var life = Self.missing(after: died)
        let report = CardReport(.absent, bootedAt: booted.map { Self.begin + .seconds($0) })
        let now = Self.begin + .seconds(died + 100)
        _ = life.handle(.appRegistered(allows: nil, cards: report), at: now)
        #expect((life.current?.status == .pending) == isLost)
        #expect(life.generations.last?.card == (isLost ? nil : .gone))
        // Whatever comes later does not bring back what was swiped away, but for the user.
        let later = CardReport(.absent, bootedAt: now + .seconds(50))
        _ = life.handle(.appRegistered(allows: nil, cards: later), at: now + .seconds(100))
        _ = life.handle(.passDue, at: now + .seconds(100))
        #expect((life.current != nil) == isLost)
        _ = life.handle(.followed(startsLocally: false), at: now + .seconds(200))
        #expect(life.current?.status == .pending)
    }

    @Test func aCardThatTheAppOrTheSystemEndedIsStartedAnew() {
        var life = Self.missing(after: 60)
        let report = CardReport(.ended(Self.shown))
        _ = life.handle(.appRegistered(allows: nil, cards: report), at: Self.begin + .seconds(100))
        #expect(life.current?.status == .pending)
    }

    @Test func aCardThatWasEndedDoesNotWaitForAPNsToSaySo() {
        var life = Self.life()
        _ = life.handle(.tokenReported(Self.first, activity: Self.shown, start: nil), at: Self.begin)
        let other = CardReport(.ended(ActivityID("another")))
        _ = life.handle(.appRegistered(allows: nil, cards: other), at: Self.begin + .seconds(50))
        #expect(life.current?.status == .active)
        let report = CardReport(.ended(Self.shown))
        _ = life.handle(.appRegistered(allows: nil, cards: report), at: Self.begin + .seconds(100))
        #expect(life.generations.map(\.status) == [.pending, .ended])
    }

    @Test func whatIOSTookWhenItWasForbiddenComesBackWhenItIsAllowed() {
        var life = Self.missing(after: 60)
        let now = Self.begin + .seconds(100)
        _ = life.handle(.appRegistered(allows: false, cards: CardReport(.absent)), at: now)
        #expect(life.current == nil)
        _ = life.handle(.appRegistered(allows: true, cards: CardReport(.absent)), at: now + .seconds(60))
        #expect(life.current?.status == .pending)
    }

    @Test func aCardThatIsThereGoesOnUnderItsNextToken() {
        var life = Self.missing(after: 60)
        let now = Self.begin + .seconds(100)
        _ = life.handle(.appRegistered(allows: nil, cards: CardReport(.there)), at: now)
        _ = life.handle(.passDue, at: now)
        #expect(life.current == nil && life.generations[0].card == .unknown)
        // The dead token proves nothing.
        #expect(life.handle(.tokenReported(Self.first, activity: Self.shown, start: nil), at: now) == [])
        #expect(
            life.handle(.tokenReported(Self.second, activity: Self.shown, start: nil), at: now)
                == [.pushState(Self.second)])
        #expect(life.current?.status == .active && life.generations.count == 2)
        #expect(life.current?.shownSince == Self.begin, "iOS counts on")
    }

    @Test func aPhoneIsAskedOnceAnHour() {
        var life = Self.missing(after: 0)
        var asked: [Int] = []
        for second in stride(from: 0, through: 7_500, by: 30) {
            let now = Self.begin + .seconds(second)
            if life.handle(.passDue, at: now).contains(.silentPush) { asked.append(second) }
            // Its token is registered and dies again and again.
            guard second % 600 == 0 else { continue }
            let token = UpdateToken("t\(second)")
            _ = life.handle(.tokenReported(token, activity: Self.shown, start: nil), at: now)
            _ = life.handle(.updateAnswered(token, .tokenDead(since: nil)), at: now)
        }
        #expect(asked == [0, 3_600, 7_200])
    }

    private static func pushes(_ intents: [LifeIntent]) -> Set<LifeTable.Push> {
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
