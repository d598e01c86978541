import APNsProtocol
import HTTP2
import Messages
import Postgres
import SightscreenModels
import Synchronization
import TestKit
import Testing

@testable import FanOut
@testable import LACoordinator
@testable import Store

@Suite struct LACoordinatorTests {
    @Test func startsEachPendingActivityOnce() async throws {
        try await Harness.with { harness in
            try await harness.follow("asha")
            try await harness.follow("ben")
            try await harness.coordinate { _ in
                try await eventually("both are started") { await harness.apns.pushes.count == 2 }
            }
            // Another coordinator finds the leases of the starts.
            try await harness.coordinate(instance: "b") { _ in try await Task.sleep(for: .milliseconds(1_500)) }
            let pushes = await harness.apns.pushes
            #expect(pushes.map(\.token).sorted() == [Harness.startToken("asha"), Harness.startToken("ben")].sorted())
            for push in pushes {
                #expect(push.event == "start" && push.priority == 10 && push.pushType == "liveactivity")
                #expect(push.alert == "RR v KKR is live" && push.sound == nil)
                #expect(push.attributes["matchId"] == "1304076" && push.attributes["homeAbbr"] == "RR")
                #expect(push.collapseID?.hasPrefix("start-1304076-") == true)
                #expect((80...125).contains(push.expiration - push.timestamp))
            }
            #expect(Set(pushes.map { $0.attributes["startId"] ?? "" }).count == 2)
        }
    }

    @Test func aStartNamesTheSideThatTheUserFollows() async throws {
        try await Harness.with { harness in
            for user in ["asha", "ben"] { try await harness.follow(user) }
            try await harness.pool.execute("UPDATE match_follows SET team_id = 8 WHERE user_id = 'asha'")
            try await harness.coordinate { _ in
                try await eventually("both are started") { await harness.apns.pushes.count == 2 }
            }
            let sides = await harness.apns.pushes.map { "\($0.token) \($0.attributes["followedTeamId"] ?? "none")" }
            #expect(
                sides.sorted() == ["\(Harness.startToken("asha")) 8", "\(Harness.startToken("ben")) none"].sorted())
        }
    }

    @Test func aStartNamesTheLogosThatTheScheduleHas() async throws {
        try await Harness.with { harness in
            let logo = "https://cdn.sportmonks.com/images/cricket/teams/8/8.png"
            try await harness.pool.execute("UPDATE fixtures SET home_logo = $1", [.text(logo)])
            try await harness.follow("asha")
            try await harness.coordinate { _ in
                try await eventually("it is started") { await harness.apns.pushes.count == 1 }
            }
            let attributes = try #require(await harness.apns.pushes.first).attributes
            #expect(attributes["homeLogo"] == logo && attributes["awayLogo"] == nil)
        }
    }

    /// `START_LEAD`: the card is there before play.
    @Test(arguments: [
        (600, "RR v KKR starts in 10 min"), (-60, "RR v KKR starts soon"), (9_000, "RR v KKR starts soon"),
    ])
    func aStartBeforePlayDoesNotSayThatItIsLive(seconds: Int, title: String) {
        var state = Harness.state(1)
        state.matchDisplayState = .scheduled
        let match = MatchCard(
            id: Harness.match, competition: "IPL", home: Team(id: 8, name: "Rajasthan Royals", code: "RR"),
            away: Team(id: 5, name: "Kolkata Knight Riders", code: "KKR"), startsAt: 1_000_000 + seconds)
        #expect(StartSender.alert(match, state, isRenewal: false, at: 1_000_000).title == title)
        state.matchDisplayState = .live
        #expect(StartSender.alert(match, state, isRenewal: false, at: 1_000_000).title == "RR v KKR is live")
    }

    /// The day, what the first line of the new card says, and its second line.
    @Test(arguments: [
        (nil, false, "ENG v IND is live", "ENG 284/3 (78.2)"),
        ("Day 1 · Session 2", false, "ENG v IND is live", "ENG 284/3 (78.2)"),
        ("Day 2 · Session 1", false, "ENG v IND, day 2", "ENG 284/3 (78.2)"),
        ("Day 2", false, "ENG v IND, day 2", "ENG 284/3 (78.2)"),
        ("Day 2 · Session 3", true, "ENG v IND goes on", "ENG 284/3 (78.2), with you for the next hours"),
    ])
    func aStartSaysWhatAFollowerDoesNotKnowYet(session: String?, isRenewal: Bool, title: String, body: String) {
        var state = Harness.state(1)
        state.compactLeading = .init(teamAbbr: "ENG", score: "284/3")
        state.compactTrailing = .init(overs: "78.2", runRate: "3.62")
        state.expanded.session = session
        let match = MatchCard(
            id: Harness.match, competition: "Test Series", home: Team(id: 8, name: "England", code: "ENG"),
            away: Team(id: 5, name: "India", code: "IND"), startsAt: 1_000_000)
        let alert = StartSender.alert(match, state, isRenewal: isRenewal, at: 1_100_000)
        #expect(alert.title == title && alert.body == body)
        state.compactLeading.score = ""
        let empty = StartSender.alert(match, state, isRenewal: true, at: 1_100_000)
        #expect(empty.body == "With you for the next hours")
    }

    @Test func startsAgainAfterAStartThatWasCertainlyNotTaken() async throws {
        try await Harness.with { harness in
            await harness.apns.answer { _, count in count == 1 ? .reset(.refusedStream) : StubAPNs.accepted }
            try await harness.follow("asha")
            try await harness.coordinate { _ in
                try await eventually("the start is repeated") { await harness.apns.pushes.count >= 2 }
                try await Task.sleep(for: .milliseconds(1_200))
            }
            // A stream that is refused is repeated at once, on another connection or after a moment.
            #expect(await harness.apns.pushes.count == 2)
        }
    }

    /// Of those who are started over production one token is bad; the address of the sandbox is wrong.
    @Test func aBadStartTokenIsBelievedWhereTheSameHostTookAnother() async throws {
        try await Harness.with { harness in
            let users = ["asha", "ben", "cat"]
            for user in users { try await harness.follow(user) }
            try await harness.pool.execute("UPDATE devices SET environment = 'sandbox' WHERE user_id = 'asha'")
            try await harness.pool.execute(
                "UPDATE devices SET start_token_proven_at = clock_timestamp(), proven_bundle = $1 WHERE user_id = 'cat'",
                [.text(Harness.bundleID)])
            await harness.apns.answer { push, _ in
                push.token == Harness.startToken("cat") ? StubAPNs.accepted : StubAPNs.refusal(.badDeviceToken)
            }
            try await harness.coordinate { _ in
                try await eventually("all are tried") { await Set(harness.apns.pushes.map(\.token)).count == 3 }
                try await eventually("the bad one is retired", within: .seconds(30)) {
                    try await harness.pool.query("SELECT FROM devices WHERE push_to_start_token IS NULL").count == 1
                }
            }
            let alive = try await harness.pool.query(
                "SELECT user_id FROM devices WHERE push_to_start_token IS NOT NULL ORDER BY user_id")
            #expect(try alive.map { try $0.string("user_id") } == ["asha", "cat"])
            #expect(await harness.apns.pushes.count == 3, "no push is repeated at once")
        }
    }

    @Test func startsNothingMoreWhileTheOutcomeOfAStartIsUnknown() async throws {
        try await Harness.with { harness in
            await harness.apns.answer { _, _ in .disconnect }
            try await harness.follow("asha")
            try await harness.coordinate { _ in
                try await eventually("a start left") { await harness.apns.pushes.count == 1 }
                try await Task.sleep(for: .milliseconds(1_500))
            }
            #expect(await harness.apns.pushes.count == 1)
        }
    }

    @Test func bringsANewTokenUpToDateAtOnceAndThenFollowsEveryVersion() async throws {
        try await Harness.with { harness in
            try await harness.coordinate { coordinator in
                try await harness.follow("asha")
                try await eventually("it is started") { await harness.apns.pushes.count == 1 }
                try await harness.activate("asha")
                coordinator.activitiesChanged()
                try await eventually("the first state is there") { await harness.updates("asha").count == 1 }
                // Every other notification is lost.
                for round in 0..<4 {
                    let update = try await harness.commit(priority: round == 3 ? 10 : 5)
                    if round.isMultiple(of: 2) { await coordinator.matchUpdated(MatchUpdated(update: update)) }
                    try await eventually("version \(update.version) is there") {
                        await harness.updates("asha").last?.version == update.version.rawValue
                    }
                }
            }
            let updates = await harness.updates("asha")
            #expect(updates.map(\.version) == [1, 2, 3, 4, 5])
            #expect(updates.map(\.priority) == [10, 5, 5, 5, 10])
            #expect(updates.allSatisfy { $0.event == "update" && $0.alert == nil })
            let stamps = [await harness.apns.pushes[0].timestamp] + updates.map(\.timestamp)
            #expect(stamps == stamps.sorted() && Set(stamps).count == stamps.count, "they strictly increase: \(stamps)")
        }
    }

    @Test func endsOnceAndIsSilentAfterwards() async throws {
        try await Harness.with { harness in
            try await harness.coordinate { coordinator in
                for user in ["asha", "ben"] { try await harness.join(user) }
                // The last version is of this moment.
                let last = try await harness.commit()
                await coordinator.matchUpdated(MatchUpdated(update: last))
                for user in ["asha", "ben"] {
                    try await eventually("\(user) has the last version") {
                        await harness.updates(user).last?.version == last.version.rawValue
                    }
                }
                try await harness.pool.execute(
                    """
                    UPDATE live_activities SET status = 'ended', ended_at = now(), end_push = 'due',
                        end_reason = CASE user_id WHEN 'asha' THEN 'match_end' ELSE 'user_unfollow' END,
                        end_dismissal = CASE user_id WHEN 'asha' THEN 'linger' ELSE 'now' END
                    """)
                coordinator.activitiesChanged()
                for user in ["asha", "ben"] {
                    try await eventually("the end of \(user) is noted") {
                        try await harness.status(user).hasSuffix(" sent")
                    }
                }
                await coordinator.matchUpdated(MatchUpdated(update: try await harness.commit(alert: .wicket)))
                try await Task.sleep(for: .milliseconds(1_200))
            }
            for (user, stays) in [("asha", 900), ("ben", -60)] {
                let updates = await harness.updates(user)
                #expect(updates.map(\.event) == ["update", "update", "end"])
                let end = try #require(updates.last)
                #expect(updates.dropLast().allSatisfy { $0.timestamp < end.timestamp }, "it is later")
                #expect(end.priority == 10)
                #expect(end.dismissAt == end.timestamp + stays)
                #expect(end.expiration == end.timestamp + 4 * 3_600)
            }
        }
    }

    @Test func repeatsAnEndUntilItIsTaken() async throws {
        try await Harness.with { harness in
            try await harness.coordinate { coordinator in
                try await harness.join("asha")
                await harness.apns.answer { push, _ in
                    push.event == "end" ? .reset(.refusedStream) : StubAPNs.accepted
                }
                try await harness.pool.execute(
                    "UPDATE live_activities SET status = 'ended', ended_at = now(), end_push = 'due', end_reason = 'match_end'"
                )
                try await eventually("it was tried twice") {
                    await harness.updates("asha").count { $0.event == "end" } >= 2
                }
                await harness.apns.answer(nil)
                try await eventually("it is noted") { try await harness.status("asha") == "ended match_end sent" }
            }
        }
    }

    @Test func sendsAlertsToThosePhonesThatWantThem() async throws {
        try await Harness.with { harness in
            try await harness.coordinate { coordinator in
                try await harness.join("all")
                try await harness.join("key", alerts: .key)
                try await harness.join("none", alerts: .none)
                for (kind, value) in [(EventKind.wicket, nil as Int?), (.milestone, 50), (.milestone, 100)] {
                    let update = try await harness.commit(alert: kind, value: value)
                    await coordinator.matchUpdated(MatchUpdated(update: update))
                    for user in ["all", "key", "none"] {
                        try await eventually("\(user) has version \(update.version)") {
                            await harness.updates(user).last?.version == update.version.rawValue
                        }
                    }
                }
            }
            let told = await ["all", "key", "none"].asyncMap { await harness.updates($0).dropFirst().map(\.alert) }
            #expect(told[0] == ["wicket 2", "milestone 3", "milestone 4"])
            #expect(told[1] == ["wicket 2", nil, "milestone 4"])
            #expect(told[2] == [nil, nil, nil])
            let priorities = await ["all", "key", "none"].asyncMap {
                await harness.updates($0).dropFirst().map(\.priority)
            }
            #expect(priorities == [[10, 10, 10], [10, 5, 10], [5, 5, 5]])
            #expect(await harness.updates("all")[1].sound == "default")
            #expect(await harness.updates("all")[2].sound == nil)
        }
    }

    /// Whether the level goes up or down, before the phone has the alert.
    @Test(arguments: [(AlertLevel.none, AlertLevel.all), (.key, .all), (.none, .key), (.all, .key)])
    func afterAChangeOfLevelOnlyAlertsOfLaterVersionsAreTold(from before: AlertLevel, to after: AlertLevel) async throws
    {
        try await Harness.with { harness in
            try await harness.coordinate { coordinator in
                try await harness.join("asha", alerts: before)
                try await harness.hold(.pushes, of: coordinator)
                // Both levels above none want it.
                let older = try await harness.commit(alert: .matchResult)
                await coordinator.matchUpdated(MatchUpdated(update: older))
                try await harness.pool.execute(
                    "UPDATE match_follows SET alerts = $1", [.text(after.rawValue)])
                let newer = try await harness.commit(alert: .inningsBreak)
                // Once this phone is known, so is the change before it.
                try await harness.follow("ben")
                try await harness.activate("ben")
                coordinator.activitiesChanged()
                await coordinator.matchUpdated(MatchUpdated(update: newer))
                try await eventually("the change is known") { await coordinator.phones() == 2 }
                try await harness.hold(.none, of: coordinator)
                try await eventually("it has the newer one") {
                    await harness.updates("asha").last?.version == newer.version.rawValue
                }
            }
            let last = try #require(await harness.updates("asha").last)
            #expect(last.alert == "inningsBreak 3" && last.alertBody == "b")
            #expect(await harness.updates("asha").allSatisfy { $0.alert != "matchResult 2" })
        }
    }

    @Test func neverRepeatsAnAlertWhoseFateIsUnknownButRepeatsTheState() async throws {
        try await Harness.with { harness in
            try await harness.coordinate { coordinator in
                try await harness.join("asha")
                await harness.apns.answer { push, _ in push.alert != nil ? .disconnect : StubAPNs.accepted }
                let update = try await harness.commit(alert: .wicket)
                await coordinator.matchUpdated(MatchUpdated(update: update))
                try await eventually("the state is repeated") { await harness.updates("asha").count == 3 }
            }
            let updates = await harness.updates("asha")
            #expect(updates.map(\.alert) == [nil, "wicket 2", nil])
            #expect(updates.map(\.version) == [1, 2, 2])
            #expect(updates.last?.priority == 5)
        }
    }

    @Test func anAlertThatComesWhileAStateIsRepeatedIsSent() async throws {
        try await Harness.with { harness in
            try await harness.coordinate { coordinator in
                try await harness.join("asha")
                await harness.apns.answer { push, _ in push.version == 2 ? .disconnect : StubAPNs.accepted }
                await coordinator.matchUpdated(MatchUpdated(update: try await harness.commit()))
                try await eventually("the connection is lost") { await harness.updates("asha").count >= 2 }
                await coordinator.matchUpdated(MatchUpdated(update: try await harness.commit(alert: .wicket)))
                try await eventually("the wicket is there") { await harness.updates("asha").last?.version == 3 }
            }
            let wicket = try #require(await harness.updates("asha").last)
            #expect(wicket.alert == "wicket 3")
            #expect(wicket.priority == 10)
        }
    }

    @Test func anAlertIsNotRepeatedAfterShardsWereLostForAMoment() async throws {
        try await Harness.with { harness in
            let isHolding = Mutex(true)
            try await harness.coordinate(isHolding: { isHolding.withLock { $0 } }) { coordinator in
                try await harness.join("asha")
                await coordinator.matchUpdated(MatchUpdated(update: try await harness.commit(alert: .wicket)))
                try await eventually("the wicket is told") { await harness.updates("asha").last?.version == 2 }
                isHolding.withLock { $0 = false }
                try await Task.sleep(for: .milliseconds(1_200))
                isHolding.withLock { $0 = true }
                try await Task.sleep(for: .milliseconds(1_200))
                await coordinator.matchUpdated(MatchUpdated(update: try await harness.commit()))
                try await eventually("the next version is there") {
                    await harness.updates("asha").last?.version == 3
                }
            }
            #expect(await harness.updates("asha").compactMap(\.alert) == ["wicket 2"])
        }
    }

    /// The version's message may come before the coordinator has read the registration, which is older.
    @Test func aTokenThatWasRegisteredJustBeforeAnAlertGetsIt() async throws {
        try await Harness.with { harness in
            try await harness.coordinate { coordinator in
                try await harness.join("asha")
                try await harness.follow("ben")
                try await harness.pool.execute(
                    "UPDATE live_activities SET start_lease_until = now() + interval '1 hour' WHERE user_id = 'ben'")
                try await harness.activate("ben")
                await coordinator.matchUpdated(MatchUpdated(update: try await harness.commit(alert: .wicket)))
                try await eventually("both are told") {
                    let asha = await harness.updates("asha").compactMap(\.alert)
                    let ben = await harness.updates("ben").compactMap(\.alert)
                    return asha.count == 1 && ben.count == 1
                }
            }
        }
    }

    /// What happened half a second before the phone had its activity, though within the same whole second.
    @Test func anAlertFromBeforeItsTokenIsNotSent() async throws {
        try await Harness.with { harness in
            try await harness.coordinate { coordinator in
                // Most of a second is left.
                try await eventually("a second begins") {
                    try await harness.pool.query(
                        "SELECT extract(milliseconds FROM clock_timestamp())::int % 1000 < 300 AS begins")[0]
                        .bool("begins")
                }
                let update = try await harness.commit(alert: .wicket)
                try await harness.follow("asha")
                try await harness.activate("asha")
                try await harness.pool.execute(
                    "UPDATE live_activities SET token_at = to_timestamp(($1::bigint + 500) / 1000.0)",
                    [PostgresValue(update.committedAtMs)])
                await coordinator.matchUpdated(MatchUpdated(update: update))
                try await eventually("the state is there") { await !harness.updates("asha").isEmpty }
                // The token's time has come.
                try await Task.sleep(for: .milliseconds(600))
                await coordinator.matchUpdated(MatchUpdated(update: try await harness.commit(alert: .wicket)))
                try await eventually("the next wicket is told") {
                    await harness.updates("asha").compactMap(\.alert) == ["wicket 3"]
                }
            }
        }
    }

    /// Stamps run ahead of the clock when much happens: a token that comes later may have an earlier time.
    @Test func anAlertIsNotRepeatedToTheNextTokenOfItsActivity() async throws {
        try await Harness.with { harness in
            try await harness.coordinate { coordinator in
                try await harness.join("asha")
                try await harness.pool.execute(
                    "UPDATE active_matches SET stamp = floor(extract(epoch FROM clock_timestamp()))::bigint + 1")
                await coordinator.matchUpdated(MatchUpdated(update: try await harness.commit(alert: .wicket)))
                try await eventually("the wicket is told") {
                    await harness.updates("asha").compactMap(\.alert) == ["wicket 2"]
                }
                // Registered before the alert, and read after it.
                try await harness.pool.execute(
                    """
                    UPDATE live_activities SET update_token = '0b0b', token_at = token_at + interval '1 millisecond'
                    """)
                try await eventually("the next token has the state") {
                    await harness.apns.pushes(to: "0b0b").first?.version == 2
                }
                #expect(await harness.apns.pushes(to: "0b0b").allSatisfy { $0.alert == nil })
            }
        }
    }

    @Test func keepsAnAlertThatWasCertainlyNotProcessed() async throws {
        try await Harness.with { harness in
            try await harness.coordinate { coordinator in
                try await harness.join("asha")
                await harness.apns.answer { push, count in
                    push.alert != nil && count == 2 ? .reset(.refusedStream) : StubAPNs.accepted
                }
                await coordinator.matchUpdated(MatchUpdated(update: try await harness.commit(alert: .wicket)))
                try await eventually("the alert is repeated") { await harness.updates("asha").count == 3 }
            }
            #expect(await harness.updates("asha").map(\.alert) == [nil, "wicket 2", "wicket 2"])
        }
    }

    @Test func anAlertClaimedByACoordinatorThatDiedIsNotRepeated() async throws {
        try await Harness.with { harness in
            try await harness.coordinate { _ in try await harness.join("asha") }
            let update = try await harness.commit(alert: .wicket)
            // It died between its claim and its last push.
            try await harness.pool.execute(
                """
                INSERT INTO alert_claims (match_id, alert_version, bucket, bucket_count, holder)
                SELECT match_id, $1, shard, 64, 'dead/1' FROM live_activities
                """, [.int(update.version.rawValue)])
            try await harness.coordinate(instance: "b") { _ in
                try await eventually("the state is there") {
                    await harness.updates("asha").last?.version == update.version.rawValue
                }
                try await Task.sleep(for: .milliseconds(700))
            }
            let updates = await harness.updates("asha")
            #expect(updates.allSatisfy { $0.alert == nil })
            #expect(updates.last?.priority == 5)
            #expect(updates.count == 2)
        }
    }

    /// The database was away for longer than a lease lasts, and the first to come back is the alert.
    @Test(arguments: [true, false])
    func anAlertThatComesBeforeTheLeaseIsRenewedIsClaimedThen(_ isRenewed: Bool) async throws {
        try await Harness.with { harness in
            try await harness.coordinate { coordinator in
                for user in ["asha", "bina"] { try await harness.join(user) }
                func expire(in seconds: Int) async throws {
                    try await harness.pool.execute(
                        """
                        UPDATE leases SET expires_at = clock_timestamp() + $1 * interval '1 second'
                        WHERE name = (SELECT 'shard:' || shard FROM live_activities WHERE user_id = 'asha')
                        """, [.int(seconds)])
                }
                try await expire(in: -1)
                await coordinator.matchUpdated(MatchUpdated(update: try await harness.commit(alert: .wicket)))
                try await eventually("who has a lease claims it") {
                    try await !harness.pool.query("SELECT 1 FROM alert_claims").isEmpty
                }
                if isRenewed { try await expire(in: 600) }
                try await eventually("and tells it") {
                    await harness.updates("bina").map(\.alert) == [nil, "wicket 2"]
                }
                try await eventually("the state is there") { await harness.updates("asha").count == 2 }
            }
            #expect(await harness.updates("asha").map(\.alert) == [nil, isRenewed ? "wicket 2" : nil])
            let claims = try await harness.pool.query("SELECT 1 FROM alert_claims")
            #expect(claims.count == (isRenewed ? 2 : 1))
        }
    }

    @Test(arguments: [true, false])
    func retiresATokenOnlyByAnAnswerThatIsNotOlderThanItsRegistration(answerIsNewer: Bool) async throws {
        try await Harness.with { harness in
            try await harness.coordinate { coordinator in
                try await harness.join("asha")
                let now = Int64(
                    try await harness.pool.query(
                        "SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint AS ms")[0].int64("ms"))
                let answeredAt = answerIsNewer ? now + 1_000 : now - 60_000
                await harness.apns.answer { _, _ in StubAPNs.refusal(.unregistered, timestampMs: answeredAt) }
                await coordinator.matchUpdated(MatchUpdated(update: try await harness.commit()))
                try await eventually("the refusal is there") { await harness.updates("asha").count == 2 }
                if answerIsNewer {
                    try await eventually("it is retired") {
                        try await harness.status("asha") == "ended token_invalid none"
                    }
                } else {
                    try await Task.sleep(for: .milliseconds(300))
                    #expect(try await harness.status("asha") == "active none")
                }
            }
        }
    }

    /// The phone registered a token that was dead already: APNs gives a time before the registration for good.
    @Test(arguments: [30, 7_200])
    func aTokenThatWasDeadWhenItCameIsPushedToEverMoreSeldom(age: Int) async throws {
        try await Harness.with { harness in
            await harness.apns.answer { _, _ in StubAPNs.refusal(.unregistered, timestampMs: 1_000) }
            try await harness.coordinate { _ in
                try await harness.follow("asha")
                try await harness.activate("asha", secondsAgo: age)
                try await eventually("APNs has spoken twice") { await harness.updates("asha").count >= 2 }
                let told = await harness.updates("asha").count
                try await Task.sleep(for: .seconds(2.5))
                // Each time later.
                #expect(await harness.updates("asha").count - told <= 2)
                #expect(try await harness.status("asha") == "active none")
            }
        }
    }

    @Test func anOutcomeThatTheDatabaseDidNotTakeIsWrittenLater() async throws {
        try await Harness.with { harness in
            try await harness.pool.execute(
                """
                CREATE FUNCTION out_of_order() RETURNS trigger LANGUAGE plpgsql AS
                    $$ BEGIN RAISE EXCEPTION 'out of order'; END $$
                """)
            try await harness.coordinate { coordinator in
                try await harness.join("asha")
                try await harness.pool.execute(
                    """
                    CREATE TRIGGER out_of_order BEFORE UPDATE ON live_activities FOR EACH ROW
                        WHEN (NEW.end_reason = 'token_invalid') EXECUTE FUNCTION out_of_order()
                    """)
                await harness.apns.answer { _, _ in StubAPNs.refusal(.unregistered) }
                await coordinator.matchUpdated(MatchUpdated(update: try await harness.commit()))
                try await eventually("the refusal is there") { await harness.updates("asha").count == 2 }
                try await Task.sleep(for: .milliseconds(300))
                #expect(try await harness.status("asha") == "active none")
                try await harness.pool.execute("DROP TRIGGER out_of_order ON live_activities")
                try await eventually("it is retired") {
                    try await harness.status("asha") == "ended token_invalid none"
                }
            }
            #expect(await harness.updates("asha").count == 2)
        }
    }

    @Test func repeatsTheStateWhenAPNsIsInTrouble() async throws {
        try await Harness.with { harness in
            try await harness.coordinate { coordinator in
                try await harness.join("asha")
                await harness.apns.answer { _, count in
                    count < 4 ? StubAPNs.refusal(.internalServerError) : StubAPNs.accepted
                }
                await coordinator.matchUpdated(MatchUpdated(update: try await harness.commit()))
                try await eventually("it was taken") { await harness.updates("asha").count == 4 }
            }
            #expect(await harness.updates("asha").map(\.version) == [1, 2, 2, 2])
        }
    }

    @Test func allProcessesShowOneProviderToken() async throws {
        try await Harness.with { harness in
            try await harness.coordinate { _ in try await harness.join("asha") }
            try await harness.coordinate(instance: "b") { _ in
                try await harness.join("ben")
            }
            #expect(Set(await harness.apns.pushes.map(\.authorization)).count == 1)
        }
    }
}

extension Array {
    fileprivate func asyncMap<T>(_ transform: (Element) async -> T) async -> [T] {
        var result: [T] = []
        for element in self { result.append(await transform(element)) }
        return result
    }
}
