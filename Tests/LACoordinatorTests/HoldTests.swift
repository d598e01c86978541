import HTTP2
import Messages
import Metrics
import Postgres
import ServiceKit
import SightscreenModels
import Store
import TestKit
import Testing

@testable import FanOut
@testable import LACoordinator

@Suite struct HoldTests {
    // MARK: - Alerts

    @Test func withAlertsHeldTheStateGoesOnInSilence() async throws {
        try await Harness.with { harness in
            try await harness.coordinate { coordinator in
                try await harness.join("asha")
                try await harness.hold(.alerts, of: coordinator)
                await coordinator.matchUpdated(MatchUpdated(update: try await harness.commit(alert: .wicket)))
                try await eventually("the wicket is there") { await harness.updates("asha").last?.version == 2 }
                await coordinator.matchUpdated(MatchUpdated(update: try await harness.commit(priority: 10)))
                try await eventually("the next ball is there") { await harness.updates("asha").last?.version == 3 }
                // A new phone's first state would go at priority 10, too.
                try await harness.join("ben")
            }
            let updates = await harness.updates("asha").dropFirst() + harness.updates("ben")
            #expect(updates.count == 3)
            #expect(updates.allSatisfy { $0.alert == nil && $0.sound == nil && $0.priority == 5 })
            #expect(try await harness.pool.query("SELECT 1 FROM alert_claims").isEmpty, "nothing counts as told")
        }
    }

    @Test func withAlertsHeldActivitiesStartAndEnd() async throws {
        try await Harness.with { harness in
            try await harness.hold(.alerts)
            try await harness.coordinate { _ in
                try await harness.join("asha")
                try await harness.pool.execute(
                    "UPDATE live_activities SET status = 'ended', ended_at = now(), end_push = 'due', end_reason = 'match_end'"
                )
                try await harness.follow("ben")
                try await eventually("both are there") {
                    let starts = await harness.apns.pushes(to: Harness.startToken("ben"))
                    return try await harness.status("asha").hasSuffix(" sent") && starts.count == 1
                }
            }
            let start = try #require(await harness.apns.pushes(to: Harness.startToken("ben")).first)
            // iOS starts nothing without an alert text, and takes starts at priority 10 only.
            #expect(start.alert == "RR v KKR is live" && start.sound == nil && start.priority == 10)
            let end = try #require(await harness.updates("asha").last)
            #expect(end.event == "end" && end.alert == nil)
        }
    }

    @Test(arguments: [true, false])
    func anAlertIsSentAfterTheHoldOnlyWhileItIsFresh(isFresh: Bool) async throws {
        try await Harness.with { harness in
            try await harness.coordinate(settings: ["ALERT_FRESHNESS": isFresh ? "60s" : "1s"]) { coordinator in
                try await harness.join("asha")
                try await harness.hold(.alerts, of: coordinator)
                await coordinator.matchUpdated(MatchUpdated(update: try await harness.commit(alert: .wicket)))
                try await eventually("the state is there") { await harness.updates("asha").last?.version == 2 }
                try await Task.sleep(for: .milliseconds(isFresh ? 100 : 2_100))
                try await harness.hold(.none, of: coordinator)
                await coordinator.matchUpdated(MatchUpdated(update: try await harness.commit()))
                try await eventually("the next ball is there") { await harness.updates("asha").last?.version == 3 }
            }
            #expect(await harness.updates("asha").map(\.alert) == [nil, nil, isFresh ? "wicket 2" : nil])
        }
    }

    @Test func alertsThatAreHeldOnTheirWayAreSentOnceInAll() async throws {
        try await Harness.with(streamsMax: 10) { harness in
            try await harness.crowd(400)
            let valve = Valve(50)
            await harness.apns.answer(through: valve)
            try await harness.coordinate(settings: ["ALERT_FRESHNESS": "120s"]) { coordinator in
                try await Task.sleep(for: .milliseconds(700))
                await coordinator.matchUpdated(MatchUpdated(update: try await harness.commit(alert: .wicket)))
                try await eventually("some are told") { await harness.apns.pushes.count >= 50 }
                try await harness.hold(.alerts)
                try await harness.obeys(coordinator, .alerts)
                try await harness.settle()
                let told = await harness.apns.pushes.count { $0.alert != nil }
                await valve.open()
                try await eventually("all have the state") {
                    await Set(harness.apns.pushes.map(\.token)).count == 400
                }
                #expect(await harness.apns.pushes.count { $0.alert != nil } == told, "those that wait leave without it")
                #expect((50..<400).contains(told))
                try await harness.hold(.none, of: coordinator)
                await coordinator.matchUpdated(MatchUpdated(update: try await harness.commit()))
                try await eventually("all have the next ball") {
                    await harness.apns.pushes.count { $0.version == 3 } == 400
                }
            }
            let pushes = await harness.apns.pushes
            let alerts = Dictionary(grouping: pushes.filter { $0.alert != nil }, by: \.token)
            #expect(alerts.count == 400 && alerts.values.allSatisfy { $0.count == 1 })
            #expect(pushes.count == 800, "a push that was stopped was none")
        }
    }

    // MARK: - Pushes

    @Test(arguments: [Harness.match, nil])
    func aFanOutStopsAndConvergesWhenTheHoldIsLifted(match: MatchID?) async throws {
        let registry = PrometheusRegistry()
        try await withMetricsFactory(registry) {
            try await Harness.with(streamsMax: 20) { harness in
                try await harness.crowd(1_500)
                let valve = Valve(100)
                await harness.apns.answer(through: valve)
                try await harness.coordinate { coordinator in
                    try await Task.sleep(for: .milliseconds(700))
                    await coordinator.matchUpdated(MatchUpdated(update: try await harness.commit()))
                    try await eventually("some have it") { await harness.apns.pushes.count >= 100 }
                    try await harness.hold(.pushes, match: match)
                    try await harness.obeys(coordinator, .pushes)
                    try await harness.settle()
                    let sent = await harness.apns.pushes.count
                    #expect((100..<1_500).contains(sent))
                    await valve.open()
                    // What comes now, with its notification or without, does not leave either.
                    await coordinator.matchUpdated(MatchUpdated(update: try await harness.commit(alert: .wicket)))
                    _ = try await harness.commit()
                    try await Task.sleep(for: .seconds(1))
                    #expect(await harness.apns.pushes.count == sent)
                    try await eventually("the pushes that it held are counted") {
                        let text = registry.text()
                        return text.contains("sightscreen_pushes_held_total ")
                            && !text.contains("sightscreen_pushes_held_total 0")
                    }
                    let text = registry.text()
                    #expect(text.contains("sightscreen_holds{level=\"pushes\"} 1"))
                    #expect(text.contains("sightscreen_holds{level=\"alerts\"} 0"))
                    try await harness.hold(.none, match: match)
                    try await eventually("all have the newest") {
                        await Set(harness.apns.pushes.filter { $0.version == 4 }.map(\.token)).count == 1_500
                    }
                    try await Task.sleep(for: .milliseconds(700))
                    #expect(await harness.apns.pushes.count == sent + 1_500, "once")
                }
            }
        }
        #expect(registry.text().contains("sightscreen_holds{level=\"pushes\"} 0"))
    }

    @Test func nothingIsUsedUpByAHoldAndAllThatIsOwedGoesOutAfterIt() async throws {
        try await Harness.with { harness in
            try await harness.coordinate { coordinator in
                try await harness.join("asha")
                try await harness.hold(.pushes, of: coordinator)
                try await harness.follow("ben")
                try await harness.follow("cat")
                try await harness.pool.execute(
                    """
                    UPDATE live_activities SET status = 'ended', ended_at = now(), end_push = 'due',
                        end_reason = 'match_end' WHERE user_id = 'asha'
                    """)
                coordinator.activitiesChanged()
                try await Task.sleep(for: .milliseconds(1_500))
                #expect(await harness.apns.pushes.count == 1)
                #expect(try await harness.claims("asha") == "ended 0 t due 0")
                #expect(try await harness.claims("ben") == "pending 0 none 0")
                // Who changes their mind meanwhile is not started.
                try await harness.pool.execute("DELETE FROM live_activities WHERE user_id = 'cat'")
                try await harness.hold(.none, of: coordinator)
                try await eventually("the end is taken") { try await harness.status("asha").hasSuffix(" sent") }
                try await eventually("the start is there") {
                    await harness.apns.pushes(to: Harness.startToken("ben")).count == 1
                }
            }
            #expect(try await harness.claims("asha").hasPrefix("ended 0 t sent 1"))
            #expect(try await harness.claims("ben").hasPrefix("pending 1 t"))
            #expect(await harness.apns.pushes.count == 3)
        }
    }

    @Test(arguments: ["start", "end"])
    func startsAndEndsThatAHoldStopsOnTheirWayDoNotCount(_ event: String) async throws {
        try await Harness.with(streamsMax: 1) { harness in
            let valve = Valve(0)
            await harness.apns.answer { push, _ in
                if push.event == event { await valve.pass() }
                return StubAPNs.accepted
            }
            let users = Harness.users(12)
            try await harness.coordinate { coordinator in
                if event == "start" {
                    for user in users { try await harness.follow(user) }
                } else {
                    try await harness.crowd(12)
                    try await harness.pool.execute(
                        "UPDATE live_activities SET status = 'ended', ended_at = now(), end_push = 'due', end_reason = 'match_end'"
                    )
                }
                let column = event == "start" ? "start_attempts" : "end_attempts"
                try await eventually("all are claimed") {
                    try await harness.pool.query("SELECT 1 FROM live_activities WHERE \(column) = 1").count == 12
                }
                // A few are on their way, one on each connection or two; the others wait for their turn.
                try await eventually("both connections are used") { await harness.apns.pushes.count >= 2 }
                try await harness.hold(.pushes, of: coordinator)
                await valve.open()
                // What had left when the hold came may arrive at any time.
                func sent() async -> Int { await Set(harness.apns.pushes.map(\.token)).count }
                try await eventually("each is sent or given back") {
                    let back = try await harness.pool.query("SELECT 1 FROM live_activities WHERE \(column) = 0").count
                    return await back + sent() == 12
                }
                let sentAtFirst = await sent()
                try await Task.sleep(for: .milliseconds(700))
                let sentInAll = await sent()
                #expect(sentInAll == sentAtFirst && sentAtFirst < 12)
                let lease = event == "start" ? "start_lease_until" : "end_lease_until"
                #expect(
                    try await harness.pool.query(
                        "SELECT 1 FROM live_activities WHERE \(column) = 0 AND \(lease) > clock_timestamp()"
                    ).isEmpty)
                try await harness.hold(.none, of: coordinator)
                try await eventually("all are there") { await Set(harness.apns.pushes.map(\.token)).count == 12 }
                try await Task.sleep(for: .milliseconds(700))
            }
            // An end whose answer took ten seconds is repeated; a start never is.
            if event == "start" { #expect(await harness.apns.pushes.count == 12) }
        }
    }

    @Test func theStrongerHoldCounts() async throws {
        try await Harness.with { harness in
            try await harness.coordinate { coordinator in
                try await harness.join("asha")
                try await harness.hold(.pushes, match: nil, of: coordinator)
                try await harness.hold(.none, of: coordinator)
                await coordinator.matchUpdated(MatchUpdated(update: try await harness.commit(alert: .wicket)))
                try await harness.hold(.alerts, of: coordinator)
                try await Task.sleep(for: .milliseconds(700))
                #expect(await harness.updates("asha").count == 1)
                try await harness.hold(.alerts, match: nil, of: coordinator)
                try await eventually("the state is there") { await harness.updates("asha").count == 2 }
                #expect(await harness.updates("asha").last?.alert == nil)
                // A hold of another match is none of this one's business.
                try await harness.hold(.none, match: nil)
                try await harness.hold(.pushes, match: MatchID(7))
                try await harness.hold(.none, of: coordinator)
                await coordinator.matchUpdated(MatchUpdated(update: try await harness.commit()))
                try await eventually("the next ball is there") { await harness.updates("asha").count == 3 }
                #expect(await harness.updates("asha").last?.alert == "wicket 2")
            }
        }
    }

    /// A hold has to be obeyed within a second on hosts where no notification comes.
    @Test func holdsAreLookedAtTwiceASecond() { #expect(HoldMonitor.interval <= .milliseconds(500)) }

    @Test func everyCoordinatorObeysWithoutANotification() async throws {
        try await Harness.with { harness in
            try await harness.crowd(200)
            try await harness.coordinate(shards: 0..<32) { one in
                try await harness.coordinate(instance: "b", shards: 32..<64) { other in
                    func commit() async throws {
                        let update = MatchUpdated(update: try await harness.commit())
                        await one.matchUpdated(update)
                        await other.matchUpdated(update)
                    }
                    try await Task.sleep(for: .milliseconds(700))
                    try await commit()
                    try await eventually("all have it") { await harness.apns.pushes.count == 200 }
                    try await harness.hold(.pushes)
                    for coordinator in [one, other] { try await harness.obeys(coordinator, .pushes) }
                    try await commit()
                    try await Task.sleep(for: .seconds(1))
                    #expect(await harness.apns.pushes.count == 200)
                    try await harness.hold(.none)
                    try await eventually("all have the newest") { await harness.apns.pushes.count == 400 }
                }
            }
        }
    }

    @Test func aCoordinatorThatBeginsUnderAHoldSendsNothing() async throws {
        try await Harness.with { harness in
            try await harness.coordinate { _ in try await harness.join("asha") }
            try await harness.hold(.pushes)
            let lines = LogLines()
            try await harness.coordinate(instance: "b", logger: lines.logger) { coordinator in
                try await harness.follow("ben")
                await coordinator.matchUpdated(MatchUpdated(update: try await harness.commit(alert: .wicket)))
                try await Task.sleep(for: .milliseconds(1_500))
                #expect(await harness.apns.pushes.count == 1)
                try await harness.hold(.alerts, of: coordinator)
                try await eventually("the state is there") { await harness.updates("asha").last?.version == 2 }
                try await harness.hold(.none, of: coordinator)
                try await eventually("all is said") { lines.count("A hold ends") == 1 }
            }
            #expect(await harness.updates("asha").last?.alert == nil)
            let notices = lines.all.filter { $0.contains("hold.level") }
            #expect(notices.count == 3 && notices.allSatisfy { $0.hasPrefix("notice ") && $0.contains("1304076") })
            #expect(notices[0].contains("A hold begins") && notices[0].contains("pushes"))
            #expect(notices[1].contains("A hold begins") && notices[1].contains("alerts"))
        }
    }

    @Test func holdsThatWereNeverReadAreNotSaidToStayInForce() async throws {
        let lines = LogLines()
        // Nobody listens there.
        let database = try DatabaseSetting(url: Secret("postgresql://nobody@localhost:1/none"), standIns: false)
        let monitor = try HoldMonitor(
            database: database, instance: "a", matchHolds: MatchHolds(), stalls: StallDetector(), logger: lines.logger)
        let running = Task { await monitor.run(onChange: {}) }
        try await eventually("it is said") { lines.count("The holds cannot be read") > 0 }
        await monitor.close(ending: running)
        #expect(lines.count("nothing is sent until they are") == 1)
        #expect(lines.count("stay in force") == 0)
    }

    @Test func aHoldStaysInForceWhileTheDatabaseIsAway() async throws {
        let postgres = PrivatePostgres()
        let lines = LogLines()
        try await Harness.with(postgres: postgres) { harness in
            try await harness.coordinate(logger: lines.logger) { coordinator in
                try await harness.join("asha")
                try await harness.hold(.pushes, of: coordinator)
                let second = try await harness.commit()
                var third = try await harness.commit()
                third.version = MatchVersion(4)
                third.contentState.version = 4
                await postgres.stop(immediately: true)
                await coordinator.matchUpdated(MatchUpdated(update: second))
                try await Task.sleep(for: .milliseconds(1_500))
                await coordinator.matchUpdated(MatchUpdated(update: third))
                try await Task.sleep(for: .milliseconds(500))
                #expect(await harness.updates("asha").count == 1)
                #expect(lines.count("the last known ones stay in force") == 1)
                try await postgres.start()
                try await Task.sleep(for: .milliseconds(700))
                #expect(await harness.updates("asha").count == 1)
                try await harness.hold(.none, of: coordinator)
                try await eventually("it has the newest") { await harness.updates("asha").last?.version == 4 }
            }
        }
        await postgres.stop()
    }

    @Test func aStateThatWasHeldForLongGoesOutUnderAStampOfNow() async throws {
        try await Harness.with { harness in
            for table in ["active_matches", "match_updates"] {
                try await harness.pool.execute("UPDATE \(table) SET stamp = stamp - 3600")
            }
            try await harness.crowd(1)
            // Half an hour ago.
            let update = try await harness.commit()
            try await harness.pool.execute("UPDATE match_updates SET stamp = stamp - 1800 WHERE version = 2")
            try await harness.pool.execute("UPDATE active_matches SET stamp = stamp - 1800")
            try await harness.hold(.pushes)
            try await harness.coordinate { coordinator in
                try await Task.sleep(for: .milliseconds(700))
                try await harness.hold(.none, of: coordinator)
                try await eventually("it has the newest") { await harness.apns.pushes.count == 1 }
            }
            let push = try #require(await harness.apns.pushes.first)
            #expect(push.version == 2 && push.timestamp - update.stamp.rawValue >= 0)
        }
    }

    // MARK: - In any order

    @Test func noAlertIsSentTwiceAndAllConvergesHoweverHoldsComeAndGo() async throws {
        let seed = UInt64.random(in: .min ... .max)
        try await Harness.with(streamsMax: 2) { harness in
            try await harness.crowd(30)
            try await harness.coordinate(settings: ["ALERT_FRESHNESS": "120s"]) { coordinator in
                var random = SeededGenerator(seed: seed)
                try await Task.sleep(for: .milliseconds(700))
                await harness.apns.answer { push, count in
                    try? await Task.sleep(for: .milliseconds(5))
                    // Some answers are lost, and some pushes are certainly not taken.
                    switch (push.token.utf8.reduce(count) { $0 &+ Int($1) }) % 11 {
                    case 0 where push.alert != nil: return .disconnect
                    case 1: return .reset(.refusedStream)
                    default: return StubAPNs.accepted
                    }
                }
                for _ in 0..<40 {
                    switch Int.random(in: 0..<5, using: &random) {
                    case 0, 1:
                        let kind: EventKind? = Bool.random(using: &random) ? .wicket : nil
                        let update = try await harness.commit(alert: kind)
                        if Bool.random(using: &random) { await coordinator.matchUpdated(MatchUpdated(update: update)) }
                    default:
                        let level = HoldLevel.allCases[Int.random(in: 0..<3, using: &random)]
                        try await harness.hold(level, match: Bool.random(using: &random) ? Harness.match : nil)
                        if Bool.random(using: &random) { coordinator.holdsChanged() }
                    }
                    try await Task.sleep(for: .milliseconds(Int.random(in: 0..<200, using: &random)))
                }
                await harness.apns.answer(nil)
                try await harness.hold(.none)
                try await harness.hold(.none, match: nil, of: coordinator)
                let newest = try await harness.commit().version.rawValue
                for user in Harness.users(30) {
                    try await eventually("\(user) has version \(newest), seed \(seed)") {
                        await harness.updates(user).last?.version == newest
                    }
                }
            }
            for (token, pushes) in Dictionary(grouping: await harness.apns.pushes, by: \.token) {
                let versions = pushes.map(\.version)
                #expect(versions == versions.sorted(), "no state goes back: \(token), seed \(seed)")
                // A refused stream was certainly not taken: its alert may come again.
                let taken = pushes.enumerated().filter { index, push in
                    (push.token.utf8.reduce(index + 1) { $0 &+ Int($1) }) % 11 != 1
                }
                let alerts = taken.compactMap(\.element.alert)
                #expect(Set(alerts).count == alerts.count, "\(token) was told twice, seed \(seed): \(alerts)")
            }
        }
    }
}
