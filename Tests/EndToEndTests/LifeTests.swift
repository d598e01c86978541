import FoundationEssentials
import HTTPClient
import OperatorTool
import Postgres
import SightscreenModels
import TestKit
import Testing

/// How activities begin, live through breaks and deaths, and end, with the real executables.
@Suite struct LifeTests {
    private struct Row: Equatable, CustomStringConvertible {
        var generation: Int
        var status: String
        var reason: String?
        var description: String { "\(generation) \(status) \(reason ?? "-")" }
    }

    private static func rows(_ phone: ManualPhone, _ suite: RunningSuite) async throws -> [Row] {
        try await suite.database.query(
            """
            SELECT generation, status, end_reason FROM live_activities WHERE device_id = $1 ORDER BY generation
            """, [.text(phone.device.rawValue)]
        ).map {
            Row(
                generation: try $0.int("generation"), status: try $0.string("status"),
                reason: try $0.optionalString("end_reason"))
        }
    }

    static func load(_ tape: Int64, _ suite: RunningSuite, speed: Double) async throws -> MatchID {
        let id = try await suite.tape.load(String(tape), speed: speed)
        let (client, bearer) = (GatewayClient(base: suite.endpoints.gateway, http: suite.http), try suite.bearer("x"))
        try await eventually("the schedule has match \(id)", within: .seconds(30)) {
            try await client.knows(id, bearer: bearer)
        }
        return id
    }

    private static func seek(_ match: MatchID, _ label: String, _ suite: RunningSuite) async throws {
        let answer = try await suite.http.send(
            .init(
                method: "POST", url: "\(suite.endpoints.provider)/control/matches/\(match)/seek",
                headers: [("content-type", "application/json")], body: Array(#"{"label":"\#(label)"}"#.utf8),
                timeout: .seconds(5)))
        try #require(answer.status == 200, "seek \(label): \(String(decoding: answer.body, as: UTF8.self))")
    }

    // MARK: - Beginnings and ends

    @Test(.timeLimit(.minutes(10))) func everyStartRouteAndEveryEndReason() async throws {
        try await RunningSuite.with(speed: 40) { suite in
            let id = try await Self.load(1_178_424, suite, speed: 40)
            func phone(_ user: String) throws -> ManualPhone { try ManualPhone(user, suite) }
            let (asha, ben, chitra) = (try phone("asha"), try phone("ben"), try phone("chitra"))
            let (dev, esha, farid, gita) = (try phone("dev"), try phone("esha"), try phone("farid"), try phone("gita"))
            let tokens = Dictionary(
                uniqueKeysWithValues: ["asha", "ben", "chitra", "dev", "esha", "farid", "gita", "esha2"].map {
                    ($0, ManualPhone.hex(32))
                })
            func token(_ user: String) -> String { tokens[user] ?? "" }

            for early in [asha, dev, esha] {
                try await early.register()
                try await early.follow(id)
            }
            _ = try await suite.tape.play(id)

            // Push-to-start, to those who followed before play.
            for early in [asha, dev, esha] {
                try await early.report(
                    token(early.user), of: "\(early.user)-1", startID: try await early.start(), match: id)
            }
            // The app starts its own, and says so.
            try await ben.register()
            try await ben.follow(id, startsLocally: true)
            try await ben.report(token("ben"), of: "ben-1", match: id)
            // The app started its own, and nobody knew.
            try await chitra.register(startsByPush: false)
            try await chitra.follow(id)
            try await chitra.report(token("chitra"), of: "chitra-1", match: id)
            // Push-to-start, to one who follows in the middle of play.
            try await farid.register()
            try await farid.follow(id)
            try await farid.report(token("farid"), of: "farid-1", startID: try await farid.start(), match: id)
            // One who does not follow gets an end.
            try await gita.register()
            try await gita.report(token("gita"), of: "gita-1", match: id, expecting: [404])
            try await eventually("the stranger's activity is ended", within: .seconds(5)) {
                try await gita.end(of: token("gita")) != nil
            }
            for watching in [asha, ben, chitra, dev, esha, farid] {
                try await eventually("\(watching.user) sees the score", within: .seconds(10)) {
                    try await watching.shown(by: token(watching.user))?.compactLeading.score.isEmpty == false
                }
            }

            // The four reasons to end.
            try await chitra.unfollow(id)
            try await eventually("chitra's activity is ended within 2 s", within: .seconds(2)) {
                try await chitra.end(of: token("chitra")) != nil
            }
            try await dev.dismiss("dev-1", match: id)
            #expect(try await dev.follows == [])
            // Her phone restarts: iOS drops its cards, and the app says what it shows when it is asked.
            try await esha.loses(token("esha"))
            try await eventually("esha's phone is asked what it shows", within: .seconds(30)) {
                try await esha.pushes(to: esha.deviceToken).contains { $0.headers["apns-push-type"] == "background" }
            }
            #expect(try await esha.starts.count == 1, "a swipe and a loss look the same until her phone answers")
            try await esha.reconcile(bootedAt: Int(Date.now.timeIntervalSince1970) + 1)
            try await esha.report(token("esha2"), of: "esha-2", startID: try await esha.start(2), match: id)
            try await eventually("the match is over for all", within: .seconds(180)) {
                var count = 0
                for (watching, name) in [(asha, "asha"), (ben, "ben"), (farid, "farid"), (esha, "esha2")] {
                    if try await watching.end(of: token(name)) != nil { count += 1 }
                }
                return count == 4
            }

            #expect(try await Self.rows(asha, suite) == [Row(generation: 1, status: "ended", reason: "match_end")])
            #expect(try await Self.rows(ben, suite) == [Row(generation: 1, status: "ended", reason: "match_end")])
            #expect(
                try await Self.rows(chitra, suite) == [Row(generation: 1, status: "ended", reason: "user_unfollow")])
            #expect(try await Self.rows(dev, suite) == [Row(generation: 1, status: "ended", reason: "user_dismissed")])
            #expect(
                try await Self.rows(esha, suite) == [
                    Row(generation: 1, status: "ended", reason: "token_invalid"),
                    Row(generation: 2, status: "ended", reason: "match_end"),
                ])
            let final = try #require(try await suite.committed(id))
            for (watching, name) in [(asha, "asha"), (ben, "ben"), (farid, "farid"), (esha, "esha2")] {
                #expect(try await watching.shown(by: token(name)) == final, "\(name)")
            }
            #expect(try await ben.starts.isEmpty, "who starts its own gets no start")
            #expect(try await asha.starts.count == 1)
            // Swept off the Lock Screen after our end: nothing but a note.
            try await ben.dismiss("ben-1", match: id)
            #expect(try await ben.follows == [id])
            // Nothing came after the dismissal or an end.
            for (watching, name) in [(asha, "asha"), (ben, "ben"), (chitra, "chitra"), (esha, "esha2")] {
                #expect(try await watching.pushes(to: token(name)).last?.payload?.aps.event == "end", "\(name)")
            }
            #expect(try await dev.end(of: token("dev")) == nil, "what is gone from the phone gets no end")
        }
    }

    // MARK: - A start token that is dead

    @Test(.timeLimit(.minutes(5))) func aPhoneThatCannotBeStartedIsWokenThenItsUserIsAskedAndARegistrationStartsAtOnce()
        async throws
    {
        try await RunningSuite.with(speed: 40) { suite in
            let id = try await Self.load(1_178_424, suite, speed: 40)
            let asha = try ManualPhone("asha", suite)
            try await asha.register()
            try await asha.follow(id)
            // The app was installed anew, say: APNs knows the token no more, and nobody has told the server.
            try await asha.loses(asha.startToken)
            try await Self.seek(id, "S1 1.1", suite)
            try await eventually("the app is woken, then its user asked", within: .seconds(60)) {
                try await asha.pushes(to: asha.deviceToken).count >= 2
            }
            let pushes = try await asha.pushes(to: asha.deviceToken)
            #expect(pushes.map { $0.headers["apns-push-type"] } == ["background", "alert"])
            #expect(pushes.map(\.priority) == [5, 10])
            #expect(pushes.last?.payload?.aps.alert?.title.hasSuffix("is live") == true)
            // Then nothing more, for longer than a step takes.
            try await Task.sleep(for: .seconds(8))
            #expect(try await asha.pushes(to: asha.deviceToken).count == 2)
            let fresh = ManualPhone.hex(40)
            try await asha.register(newToken: fresh)
            try await eventually("the activity is started at once", within: .seconds(5)) {
                try await asha.pushes(to: fresh).first?.payload?.aps.event == "start"
            }
        }
    }

    // MARK: - Eight hours

    @Test(.timeLimit(.minutes(5))) func anActivityIsRenewedBeforeItsTimeIsUp() async throws {
        // ACTIVITY_RENEW_AFTER is 28 s at this speed.
        try await RunningSuite.with(speed: 1_000) { suite in
            let id = try await Self.load(1_384_429, suite, speed: 1_000)
            let asha = try ManualPhone("asha", suite)
            try await asha.register()
            try await asha.follow(id)
            try await Self.seek(id, "S1 3.1", suite)
            let (first, second) = (ManualPhone.hex(32), ManualPhone.hex(32))
            try await asha.report(first, of: "asha-1", startID: try await asha.start(), match: id)
            let begun = ContinuousClock.now
            // Without a ball since it began it would not be renewed.
            _ = try await suite.tape.step(id)
            let renewal = try await asha.start(2, within: .seconds(90))
            #expect(.now - begun > .seconds(20))
            let push = try #require(try await asha.starts.last)
            #expect(push.payload?.aps.alert != nil, "iOS insists on one")
            #expect(push.payload?.aps.alert?.sound == nil && push.payload?.aps.sound == nil)
            // The old one runs until the new one is there.
            #expect(try await asha.end(of: first) == nil)
            #expect(try await Self.rows(asha, suite) == [Row(generation: 1, status: "active", reason: nil)])
            try await asha.report(second, of: "asha-2", startID: renewal, match: id)
            try await eventually("the old one is taken away", within: .seconds(5)) {
                guard let aps = try await asha.end(of: first)?.payload?.aps else { return false }
                return (aps.dismissalDate ?? .max) <= (aps.timestamp ?? 0)
            }
            #expect(
                try await Self.rows(asha, suite) == [
                    Row(generation: 1, status: "ended", reason: "match_end"),
                    Row(generation: 2, status: "active", reason: nil),
                ])
            // iOS tells the app that the old one is gone: no wish of the user's.
            try await asha.dismiss("asha-1", match: id)
            #expect(try await asha.follows == [id])
            for _ in 0..<3 { _ = try await suite.tape.step(id) }
            try await eventually("the new one shows what comes", within: .seconds(10)) {
                let newest = try await suite.committed(id)
                return try await asha.shown(by: second)?.version == newest?.version
            }
            #expect(try await asha.pushes(to: first).last?.payload?.aps.event == "end")
        }
    }

    // MARK: - Rain

    @Test(.timeLimit(.minutes(5))) func rainKeepsTheActivityAliveAndPlayRefreshesIt() async throws {
        try await RunningSuite.with(speed: 200) { suite in
            // Rain between the innings; the chase is shortened.
            let id = try await Self.load(501_255, suite, speed: 200)
            let asha = try ManualPhone("asha", suite)
            try await asha.register()
            try await asha.follow(id)
            try await Self.seek(id, "S1 3.1", suite)
            let token = ManualPhone.hex(32)
            try await asha.report(token, of: "asha-1", startID: try await asha.start(), match: id)
            try await Self.seek(id, "Int.", suite)
            try await eventually("the phone shows that play is suspended", within: .seconds(20)) {
                try await asha.shown(by: token)?.matchDisplayState == .suspended
            }
            func suspendedSince() async throws -> Bool {
                try await suite.database.query(
                    "SELECT suspended_at IS NOT NULL AS since FROM active_matches WHERE match_id = $1",
                    [.int(id.rawValue)]
                ).first?.bool("since") ?? false
            }
            #expect(try await suspendedSince())
            let before = try await asha.pushes(to: token).count
            // Nothing happens, for longer than KEEPALIVE_INTERVAL (20 min, 6 s at this speed), three times over.
            try await eventually("it is kept alive", within: .seconds(40)) {
                try await asha.pushes(to: token).count >= before + 3
            }
            for push in try await asha.pushes(to: token).dropFirst(before) {
                #expect(push.payload?.aps.event == "update")
                // Those who want all alerts hear of the rain once; the rest is silent.
                if let alert = push.payload?.aps.alert {
                    #expect(alert.title == "Play stopped: KKR 89/4" && push.priority == 10)
                } else {
                    #expect(push.priority == 5)
                }
                #expect(push.payload?.aps.contentState?.matchDisplayState == .suspended)
            }
            #expect(try await asha.pushes(to: token).dropFirst(before).count { $0.payload?.aps.alert != nil } <= 1)
            let resumed = try await asha.pushes(to: token).count
            _ = try await suite.tape.step(id)
            try await eventually("play goes on", within: .seconds(20)) {
                try await asha.shown(by: token)?.matchDisplayState != .suspended
            }
            let refresh = try #require(
                try await asha.pushes(to: token).dropFirst(resumed).first {
                    $0.payload?.aps.contentState?.matchDisplayState != .suspended
                })
            #expect(refresh.priority == 5)
            #expect(refresh.payload?.aps.alert == nil)
            #expect(try await !suspendedSince())
            #expect(try await Self.rows(asha, suite) == [Row(generation: 1, status: "active", reason: nil)])
        }
    }

    // MARK: - Five days

    @Test(.timeLimit(.minutes(10))) func aTestMatchHasAnActivityForEachDay() async throws {
        try await RunningSuite.with(speed: 200) { suite in
            let id = try await Self.load(426_416, suite, speed: 200)
            let asha = try ManualPhone("asha", suite)
            try await asha.register()
            try await asha.follow(id)
            var day = 0
            var position = try await suite.tape.step(id)
            var tokens: [String] = []
            while position.cursor < position.frames {
                // The phone is started each morning, and its activity ends at stumps.
                day += 1
                while !position.isDelivery { position = try await suite.tape.step(id) }
                let token = ManualPhone.hex(32)
                try await asha.report(token, of: "asha-\(day)", startID: try await asha.start(day), match: id)
                tokens.append(token)
                try await eventually("day \(day) is shown", within: .seconds(20)) {
                    try await asha.shown(by: token)?.matchDisplayState == .live
                }
                while position.cursor < position.frames, !position.label.hasPrefix("Stump"),
                    position.label != "Finished"
                {
                    for _ in 0..<20 where !position.label.hasPrefix("Stump") && position.label != "Finished" {
                        position = try await suite.tape.step(id)
                    }
                    try await Task.sleep(for: .milliseconds(100))
                }
                try await eventually("the activity of day \(day) ends (\(position.label))", within: .seconds(60)) {
                    try await asha.end(of: token) != nil
                }
                if position.label == "Finished" { break }
                // At night nothing is started.
                try await Task.sleep(for: .seconds(3))
                #expect(try await asha.starts.count == day)
            }
            #expect(day >= 3, "a Test match has days")
            let rows = try await Self.rows(asha, suite)
            #expect(rows == (1...day).map { Row(generation: $0, status: "ended", reason: "match_end") })
            let final = try #require(try await suite.committed(id))
            #expect(try await asha.shown(by: try #require(tokens.last)) == final)
            #expect(final.matchDisplayState == .completed)
            #expect(try await asha.follows == [id])
        }
    }

    // MARK: - All at once

    @Test(.timeLimit(.minutes(10))) func allServicesDieAtOnceInTheMiddleOfAMatch() async throws {
        try await RunningSuite.with(speed: 40) { suite in
            let fleet = try suite.fleet([("asha", 2), ("ben", 1), ("chitra", 1)])
            let id = try await suite.prepare(1_178_424, fleet, speed: 40)
            _ = try await suite.tape.play(id)
            let services = ["la-coordinator", "event-bus", "score-poller", "orchestrator", "api-gateway"]
            for round in 1...3 {
                let version = try await suite.committed(id)?.version ?? 0
                try await eventually("play goes on (\(round))", within: .seconds(60)) {
                    try await fleet.receive()
                    guard let newest = try await suite.committed(id), newest.version > version + 3 else { return false }
                    return await fleet.phones.allSatisfy { $0.activities.last.map { $0.shown.count > 1 } ?? false }
                }
                let before = Dictionary(uniqueKeysWithValues: services.map { ($0, suite.pid(of: $0)) })
                for service in services { try suite.killHard(service) }
                try await eventually("all are back (\(round))", within: .seconds(20)) {
                    for service in services {
                        guard let now = suite.pid(of: service), now != before[service] else { return false }
                        let ready = try? await suite.http.send(
                            .init(url: "\(suite.endpoints.health[service] ?? "")/health/ready", timeout: .seconds(2)))
                        guard ready?.status == 200 else { return false }
                    }
                    return true
                }
            }
            let position = try await suite.tape.position(id)
            #expect(position.cursor < position.frames, "they died while the match was on")
            _ = try await suite.tape.pause(id)
            try await eventually("every phone shows the newest state", within: .seconds(15)) {
                try await fleet.receive()
                let newest = try await suite.committed(id)
                return await fleet.phones.allSatisfy { $0.activities.last?.state.version == newest?.version }
            }
            _ = try await suite.tape.play(id)
            try await eventually("every activity is ended", within: .seconds(180)) {
                try await fleet.receive()
                return await fleet.phones.allSatisfy { $0.activities.last?.endedAt != nil }
            }
            let final = try #require(try await suite.committed(id))
            for phone in await fleet.phones {
                #expect(phone.activities.count == 1, "\(phone.device): no second start")
                #expect(phone.activities.first?.state == final, "\(phone.device): the same final state")
            }
            let told = await fleet.history.filter { $0.delivery.payload?.aps.event == "update" }
                .compactMap { entry in
                    entry.delivery.payload?.aps.alert.map { "\(entry.phone) \($0.title) \($0.body)" }
                }
            #expect(Set(told).count == told.count, "no alert came twice")
        }
    }
}
