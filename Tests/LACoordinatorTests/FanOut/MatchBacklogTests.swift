import Activities
import SightscreenModels
import Testing

@testable import FanOut
@testable import LACoordinator

@Suite struct MatchBacklogTests {
    private func backlog(
        _ phones: Int, _ waits: [(since: Int64, phones: Int)], acceptedAt: Int64 = 0
    ) -> MatchBacklog {
        var backlog = MatchBacklog()
        backlog.phones = phones
        for wait in waits {
            backlog.add(
                .init(since: wait.since, version: Int(wait.since), phones: wait.phones, acceptedAt: acceptedAt))
        }
        return backlog
    }

    private func channel(
        _ level: AlertLevel, since: Int64?, acceptedAt: Int64, restsUntil: Int64 = 0
    ) -> MatchBacklog.Channel {
        MatchBacklog.Channel(
            key: ChannelKey(
                match: Harness.match, environment: .production, audience: AudienceClass(level), generation: 1),
            listeners: 300, wait: since.map { .init(since: $0, version: Int($0), phones: 1) }, acceptedAt: acceptedAt,
            restsUntil: restsUntil, perMinute: 12)
    }

    @Test func aMatchIsBehindWithMoreThanOneInAHundredAndThreeAtLeast() {
        #expect(backlog(300, [(10, 3)]).behindSince == nil, "one in a hundred is not more than that")
        #expect(backlog(300, [(10, 4)]).behindSince == 10)
        #expect(backlog(20, [(10, 2)]).behindSince == nil)
        #expect(backlog(3, [(10, 3)]).behindSince == 10)
        #expect(backlog(300, [(30, 3), (10, 3), (20, 1)]).behindSince == 20, "the fourth to wait makes it late")
    }

    @Test func theLoopsOfAProcessAreOne() {
        var sum = backlog(200, [(10, 2)], acceptedAt: 5)
        sum.add(backlog(200, [(10, 2), (20, 1)], acceptedAt: 7))
        #expect(sum.behindSince == 20, "five of 400")
        sum.add(backlog(200, []))
        #expect(sum.behindSince == nil, "five of 600")
    }

    @Test func aChannelCountsByItself() {
        var match = backlog(1_000_000, [(10, 9)])
        match.channels = [channel(.all, since: nil, acceptedAt: 40), channel(.key, since: 30, acceptedAt: 25)]
        #expect(match.behindSince == 30)
    }

    @Test func aMatchIsStuckWhileNothingIsAcceptedForThoseThatWait() {
        var match = backlog(300, [(10, 300)], acceptedAt: 50)
        #expect(match.stuck(at: 70) == 20)
        match = backlog(300, [(10, 300)])
        #expect(match.stuck(at: 70) == 60)
        match.add(backlog(300, [(65, 200)], acceptedAt: 69))
        #expect(match.stuck(at: 70) == 60, "another thread's connections take what they are sent")
        match = backlog(300, [(10, 3)])
        match.add(backlog(300, [(10, 4)], acceptedAt: 69))
        #expect(match.stuck(at: 70) == 1, "three of 600 are not many")
        // What the tokens take is no comfort to a channel, nor the other way round.
        match = backlog(300, [], acceptedAt: 69)
        match.channels = [channel(.all, since: nil, acceptedAt: 0), channel(.key, since: 40, acceptedAt: 45)]
        #expect(match.stuck(at: 70) == 25)
        match.heldAt = 60
        #expect(match.stuck(at: 70) == 10, "a hold was lifted")
        match.isHeld = true
        #expect(match.stuck(at: 70) == 0)
        #expect(match.behindSince == 40, "its listeners do wait")
        #expect(backlog(300, [], acceptedAt: 0).stuck(at: 70) == 0)
    }

    /// It says so itself (SightscreenChannelRests); what other channels and the phones lack counts.
    @Test func theRestOfAChannelIsNoLagOfTheMatch() {
        var match = backlog(300, [])
        match.channels = [channel(.all, since: 10, acceptedAt: 5, restsUntil: 65)]
        #expect(match.behindSince == 10)
        #expect(match.stuck(at: 64) == 0 && match.stuck(at: 70) == 5, "it counts from the end of the rest")
        match.channels.append(channel(.key, since: 10, acceptedAt: 5))
        #expect(match.stuck(at: 64) == 54)
        #expect(match.channels.map(\.isThrottled) == [true, false])
        match.channels[0].acceptedAt = 60
        #expect(match.channels[0].isThrottled, "that was an alert")
        #expect(match.channels.map { match.rests($0, at: 70) } == [true, false], "nothing was taken since its rest")
        match.isHeld = true
        #expect(match.rests(match.channels[0], at: 64) && !match.rests(match.channels[0], at: 65), "a hold was set")
        match.isHeld = false
        match.channels[0].wait = nil
        #expect(!match.rests(match.channels[0], at: 64), "a heartbeat was refused: no version is lacking")
        match.channels[0].acceptedAt = 66
        #expect(!match.channels[0].isThrottled)
    }

    @Test(arguments: [(0, 3, true), (0, 2, false), (1, 300, false), (0, 0, false)])
    func aMatchIsRefusedWhenAllItsPhonesBackOff(_ phones: Int, backingOff: Int, isRefused: Bool) {
        var match = backlog(phones, [])
        match.leftOut.backingOff = backingOff
        #expect(match.isRefused == isRefused)
    }

    @Test func aVersionIsLackedUntilItOrANewerOneIsThere() {
        var match = backlog(300, [(7, 4)])
        match.add(.init(since: 3, version: nil, phones: 200))
        #expect(match.lacks(7) && match.lacks(8) && !match.lacks(6), "who came later lacks none of them")
        match = backlog(300, [(7, 3)])
        #expect(!match.lacks(7))
        match.channels = [channel(.all, since: 8, acceptedAt: 0)]
        #expect(match.lacks(8) && !match.lacks(7))
    }
}

@Suite struct CohortBacklogTests {
    private func row(_ stamp: UInt32, at tokenAt: Double = 0, flags: CohortRow.Flags = [.isUsed]) -> CohortRow {
        CohortRow(
            key: RosterKey(user: UserID("asha"), device: DeviceID("phone"), generation: 1), tokenAt: tokenAt,
            delivered: stamp, flags: flags, level: 0)
    }

    private func version(_ number: Int) -> CohortBacklog.Version {
        .init(number: number, stamp: UInt32(number * 10), dueAt: Int64(number) * 1_000_000_000)
    }

    private func waits(_ backlog: CohortBacklog, at second: Int = 100) -> [MatchBacklog.Wait] {
        backlog.waits(at: Int64(second) * 1_000_000_000, Double(second)).map(\.wait).sorted { $0.since < $1.since }
    }

    private func wait(_ second: Int, _ version: Int?, _ phones: Int) -> MatchBacklog.Wait {
        .init(since: Int64(second) * 1_000_000_000, version: version, phones: phones)
    }

    @Test func eachRowWaitsSinceTheFirstVersionThatItLacks() {
        var backlog = CohortBacklog(since: 0, newest: version(1))
        for stamp: UInt32 in [10, 10, 5] { backlog.count(row(stamp), 1) }
        #expect(waits(backlog) == [wait(1, 1, 1)], "one is from before the first version that is known here")
        for number in 2...4 { backlog.published(version(number)) }
        #expect(waits(backlog) == [wait(1, 1, 1), wait(2, 2, 2)])
        // One gets version 2 with a later stamp, one the newest.
        backlog.count(row(10), -1)
        backlog.count(row(25), 1)
        backlog.count(row(10), -1)
        backlog.count(row(40), 1)
        #expect(waits(backlog) == [wait(1, 1, 1), wait(3, 3, 1)])
        #expect([1, 2, 3, 4].map { backlog.rows(lacking: $0) } == [1, 1, 2, 2])
        #expect(backlog.rows == 3)
    }

    @Test func anOldOneOrARepetitionIsNoVersion() {
        var backlog = CohortBacklog(since: 0, newest: version(4))
        backlog.count(row(40), 1)
        backlog.published(version(4))
        backlog.published(version(3))
        #expect(waits(backlog).isEmpty)
    }

    @Test func whoCameLaterWaitsSinceThenAndNotBeforeTheFirstVersion() {
        var backlog = CohortBacklog(since: 20)
        backlog.count(row(0, at: 5), 1)
        #expect(waits(backlog).isEmpty, "there is nothing to lack")
        backlog.published(version(30))
        #expect(waits(backlog) == [wait(30, nil, 1)])
        backlog.count(row(0, at: 50), 1)
        backlog.published(version(60))
        #expect(waits(backlog) == [wait(30, nil, 1), wait(50, nil, 1)])
        backlog.count(row(0, at: 50), -1)
        backlog.count(row(600, at: 50), 1)
        #expect(waits(backlog) == [wait(30, nil, 1)])
    }

    @Test func someRowsDoNotCount() {
        var backlog = CohortBacklog(since: 0, newest: version(1))
        for flag: CohortRow.Flags in [.isInfrequent, .isDraining] { backlog.count(row(5, flags: [.isUsed, flag]), 1) }
        var refused = row(5)
        refused.isBackingOff = true
        backlog.count(refused, 1)
        #expect(waits(backlog).isEmpty && backlog.rows == 0 && backlog.backingOff == 1)
        backlog.count(refused, -1)
        refused.accepted(stamp: 10)
        backlog.count(refused, 1)
        #expect(backlog.rows == 1 && backlog.backingOff == 0)
    }

    /// However long nothing is accepted, and however the rows are spread: the time of the oldest is kept.
    @Test(arguments: [false, true]) func manyVersionsAreMerged(isSpread: Bool) {
        var backlog = CohortBacklog(since: 0, newest: version(1))
        backlog.count(row(10), 1)
        for number in 2...1_000 {
            backlog.published(version(number))
            if isSpread { backlog.count(row(UInt32(number * 10)), 1) }
        }
        let all = waits(backlog)
        #expect(all.first?.since == 2_000_000_000 && all.first?.version == 2)
        #expect(all.count <= CohortBacklog.rungsMax)
        #expect(all.reduce(0) { $0 + $1.phones } == (isSpread ? 999 : 1))
        // Each leaves the place at which it was counted.
        backlog.count(row(10), -1)
        if isSpread { for number in 2...1_000 { backlog.count(row(UInt32(number * 10)), -1) } }
        #expect(backlog.rows == 0 && waits(backlog).isEmpty)
    }
}
