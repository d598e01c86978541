import SightscreenClient
import SightscreenClientTesting
import SightscreenModels
import TestSupport
import Testing

/// The timestamps, decoding and budgets of updates.
@Suite struct UpdateTests {
    @Test func timestampsMustGrow() async throws {
        let bench = await Bench()
        let id = try await bench.running()
        let at = bench.clock.now
        #expect(try await bench.send(Sample.update(2, at: Sample.now), to: id) == .dropped(.oldTimestamp))
        #expect(try await bench.send(Sample.update(2, at: at + 1), to: id) == .updated(id, alerted: false))
        #expect(try await bench.send(Sample.update(3, at: at + 1), to: id) == .dropped(.oldTimestamp))
        #expect(try await bench.send(Sample.update(3, at: at), to: id) == .dropped(.oldTimestamp))
        let far = at + 8 * 3_600
        #expect(try await bench.send(Sample.update(3, at: far + 60), to: id) == .dropped(.farTimestamp))
        #expect(await bench[id]?.content.state.version == 2)
        #expect(await bench[id]?.updates == 1)
    }

    @Test func whatDoesNotDecodeIsDroppedAndWhatIsShownStays() async throws {
        let bench = await Bench()
        let id = try await bench.running()
        let token = try await bench.token(of: id)
        let good = String(
            decoding: try Sample.update(2, at: bench.clock.now + 5).encoded(), as: UTF8.self)
        for (found, written) in [
            ("\"compactLeading\"", "\"compact_leading\""), ("\"schema\":1", "\"schema\":\"1\""),
            ("{\"aps\"", "{\"apps\""),
            ("\"expanded\":{", "\"expanded\":[{"), ("\"timestamp\":1", "\"timestamp\":\"1"),
        ] {
            let broken = good.replacing(found, with: written)
            #expect(broken != good)
            let push = RawPush(
                token: token, headers: ["apns-push-type": "liveactivity"], body: Array(broken.utf8))
            #expect(await bench.kit.receive(push) == .dropped(.notDecodable), "\(found)")
        }
        #expect(await bench[id]?.content.state == Sample.state(1))
    }

    @Test func aPushForSomebodyElseIsNoneOfItsBusiness() async throws {
        let bench = await Bench()
        let id = try await bench.running()
        let push = try Bench.push(Sample.update(2, at: bench.clock.now + 1), to: String(repeating: "ab", count: 80))
        #expect(await bench.kit.receive(push) == .dropped(.unknownToken))
        #expect(try await bench.send(Sample.start(), to: id) == .dropped(.wrongEvent))
        let update = try Bench.push(Sample.update(2, at: bench.clock.now + 1), to: await bench.kit.startToken.rawValue)
        #expect(await bench.kit.receive(update) == .dropped(.wrongEvent))
    }

    @Test func updatesOfPriorityTenHaveABudget() async throws {
        var limits = PhoneLimits()
        limits.immediateUpdatesPerHour = 3
        limits.infrequentUpdatesPerHour = 1
        for (isFrequent, count) in [(true, 3), (false, 1)] {
            let bench = await Bench(limits)
            let id = try await bench.running()
            await bench.kit.setFrequentPushes(isFrequent)
            #expect(await bench.kit.frequentPushesEnabled() == isFrequent)
            var stamp = bench.clock.now
            for _ in 1...count {
                stamp += 1
                #expect(try await bench.send(Sample.update(2, at: stamp), to: id) == .updated(id, alerted: false))
            }
            stamp += 1
            #expect(try await bench.send(Sample.update(3, at: stamp), to: id) == .dropped(.updateBudgetExceeded))
            // Routine updates do not count.
            #expect(
                try await bench.send(Sample.update(3, at: stamp), to: id, priority: 5) == .updated(id, alerted: false))
            bench.clock.advance(seconds: 3_600 / count + 1)
            #expect(try await bench.send(Sample.update(4, at: stamp + 1), to: id) == .updated(id, alerted: false))
        }
    }

    @Test func anAlertBuzzes() async throws {
        let bench = await Bench()
        let id = try await bench.running()
        bench.clock.advance(seconds: 60)
        let wicket = PushAlert(title: "WICKET!", body: "MI 88/7", sound: true)
        let outcome = try await bench.send(Sample.update(2, at: bench.clock.now, alert: wicket), to: id)
        #expect(outcome == .updated(id, alerted: true))
        let alert = ShownAlert(title: "WICKET!", body: "MI 88/7", hasSound: true, at: bench.clock.now)
        #expect(await bench[id]?.lastAlert == alert)
    }

    @Test func staleFromItsDateOnAndFreshWithTheNextUpdate() async throws {
        let bench = await Bench()
        let id = try await bench.running(Sample.start(staleAt: Sample.now + 600))
        var states = await bench.kit.activityStateUpdates(of: id).makeAsyncIterator()
        #expect(await states.next() == .active)
        bench.clock.advance(seconds: Sample.now + 600 - bench.clock.now)
        #expect(await states.next() == .stale)
        #expect(await bench[id]?.card.isStale == true)
        let fresh = Sample.update(2, at: bench.clock.now + 1, staleAt: bench.clock.now + 600)
        #expect(try await bench.send(fresh, to: id) == .updated(id, alerted: false))
        #expect(await states.next() == .active)
        #expect(await bench[id]?.card.isStale == false)
    }

    // MARK: - Offline

    @Test func aPhoneThatIsAwayGetsTheNewestOfWhatIsKept() async throws {
        let bench = await Bench()
        let id = try await bench.running()
        let at = bench.clock.now
        await bench.kit.setOnline(false)
        #expect(try await bench.send(Sample.update(2, at: at + 1), to: id, expiration: 0) == .dropped(.offline))
        #expect(try await bench.send(Sample.update(3, at: at + 2), to: id, expiration: at + 900) == .kept)
        #expect(try await bench.send(Sample.update(4, at: at + 3), to: id, expiration: at + 900) == .kept)
        #expect(await bench[id]?.content.state.version == 1)
        #expect(await bench.kit.setOnline(true) == [.updated(id, alerted: false)])
        #expect(await bench[id]?.content.state.version == 4)
        #expect(await bench.kit.setOnline(true).isEmpty)
    }

    @Test func whatHasExpiredIsNotDelivered() async throws {
        let bench = await Bench()
        let id = try await bench.running()
        let at = bench.clock.now
        await bench.kit.setOnline(false)
        #expect(try await bench.send(Sample.update(2, at: at + 1), to: id, expiration: at + 60) == .kept)
        bench.clock.advance(seconds: 61)
        #expect(await bench.kit.setOnline(true) == [.dropped(.expired)])
        let late = try await bench.send(Sample.update(2, at: at + 1), to: id, expiration: at + 60)
        #expect(late == .dropped(.expired))
        let inTime = try await bench.send(Sample.update(2, at: at + 1), to: id, expiration: bench.clock.now)
        #expect(inTime == .updated(id, alerted: false))
    }
}
