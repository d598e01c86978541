import DeviceLab
import FoundationEssentials
import Logging
import Postgres
import ServiceLifecycle
import SightscreenModels
import TestKit
import Testing

@testable import OperatorTool

/// The app's own managers on simulated iPhones, against the real executables over HTTP, with people who do this and
/// that.
///
/// IPHONES (40), IPHONE_OVERS (the first two and the last six of the match; `all`) and IPHONE_SEED change the size:
/// `deploy/soak phones` plays it whole with 200.
@Suite struct IPhoneTests {
    static let match: Int64 = 1_304_076

    private static func setting(_ name: String) -> String? { ProcessInfo.processInfo.environment[name] }

    @Test(.timeLimit(.minutes(60))) func everyLockScreenIsRightAtEveryOverEnd() async throws {
        let count = Self.setting("IPHONES").flatMap { Int($0) } ?? 40
        let seed = Self.setting("IPHONE_SEED").flatMap { UInt64($0) } ?? 1
        try await RunningSuite.with(speed: 40) { suite in
            try await Self.withPhones(count, seed: seed, suite) { fleet in
                var run = Run(suite: suite, fleet: fleet, users: RandomUsers(seed: seed))
                try await run.play(whole: Self.setting("IPHONE_OVERS") == "all")
            }
        }
    }

    private static func withPhones(
        _ count: Int, seed: UInt64, _ suite: RunningSuite, _ body: (IPhoneFleet) async throws -> Void
    ) async throws {
        var configuration = DeviceLabConfiguration(
            provider: suite.endpoints.provider, apns: suite.endpoints.apnsControl)
        configuration.gateway = suite.endpoints.gateway
        configuration.issuer = suite.endpoints.issuer
        configuration.phones = count
        configuration.seed = seed
        configuration.suspendsApps = true
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        let fleet = IPhoneFleet(configuration, logger: logger)
        let group = ServiceGroup(configuration: .init(services: [.init(service: fleet)], logger: logger))
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await group.run() }
            do { try await body(fleet) } catch {
                await group.triggerGracefulShutdown()
                throw error
            }
            await group.triggerGracefulShutdown()
            try await tasks.waitForAll()
        }
    }

    /// One match.
    private struct Run {
        let suite: RunningSuite
        let fleet: IPhoneFleet
        var users: RandomUsers
        var done: [LabAction.Name: Int] = [:]
        var checks = 0
        var overEnds = 0
        var skipped = 0
        /// Whether each user follows the match, by the last act on any of the user's phones; nil where that is not known.
        var wants: [String: Bool] = [:]
        /// On which phone he did it; another one hears of it when its app asks the next time.
        var deciders: [String: String] = [:]
        /// The phone that alone knows of it: it had no network then, and its user was not signed in on it since it has
        /// one.
        var untold: [String: String] = [:]
        /// The users who swiped the card away, by the phone, and have not asked for it since.
        var swiped: [String: String] = [:]
        /// The phones that were restarted, whose app was installed again, or that allow Live Activities again while the
        /// app slept; until the app runs with a network.
        var outOfContact: Set<String> = []
        var restored = 0
        /// Who showed the match at the last over end, and was left alone since.
        var showing: Set<String> = []
        var leastShowing = Int.max
        /// When each version was first seen.
        var versions: [(version: Int, at: ContinuousClock.Instant)] = []

        mutating func play(whole: Bool) async throws {
            let scorecard = try Scorecard(
                path: "\(RunningSuite.checkout)/Tests/Fixtures/matches/\(IPhoneTests.match).json")
            let id = try await suite.tape.load(String(IPhoneTests.match), speed: 40)
            try await eventually("the app lists the match", within: .seconds(30)) {
                _ = try await fleet.displayState(of: id)
                return true
            }
            // Four of five before play; the others in the course of it.
            for (number, phone) in fleet.phones.enumerated() where number % 5 != 4 {
                try await phone.perform(LabAction(.follow, matchId: id))
                wants[await phone.state.user] = true
            }
            try await eventually("their follow buttons are filled", within: .seconds(60)) {
                for (number, phone) in fleet.phones.enumerated() where number % 5 != 4 {
                    let button = await phone.state.followButtons.first { $0.matchId == id }
                    guard button?.state == .filled, button?.isPending == false else { return false }
                }
                return true
            }
            var delivery = 0
            while true {
                let position = try await suite.tape.step(id)
                if position.isDelivery {
                    let next = scorecard.deliveries[delivery]
                    delivery += 1
                    // The middle of the match is skimmed: its overs are like the others.
                    if !whole, (13..<scorecard.deliveries.count - 37).contains(delivery) {
                        try await Task.sleep(for: .milliseconds(50))
                        continue
                    }
                    try await shows(next, id, position.label)
                    if users.isMoved() { try await act(on: id, share: 30) }
                    if next.endsOver || next.isLastOfInnings {
                        try await allRight(id, position.label)
                        try await act(on: id, share: 6)
                    }
                } else {
                    // A phase has no score to wait for: two polls and a commit are over in this time.
                    try await Task.sleep(for: .milliseconds(1_500))
                }
                if position.cursor >= position.frames { break }
            }
            try await ended(id)
            let actions = done.sorted { $0.key.rawValue < $1.key.rawValue }.map { "\"\($0.key.rawValue)\":\($0.value)" }
            print(
                #"{"soak":"phones","phones":\#(fleet.phones.count),"overEnds":\#(overEnds),"rightLockScreens":\#(checks),"#
                    + #""offlineOrNotStartedThen":\#(skipped),"restored":\#(restored),"leastShowing":\#(leastShowing),"actions":{\#(actions.joined(separator: ","))},"met":true}"#
            )
        }

        private mutating func shows(_ ball: Scorecard.Delivery, _ id: MatchID, _ label: String) async throws {
            try await eventually("the state shows \(ball.score) (\(ball.overs)), frame \(label)", within: .seconds(20))
            {
                let state = try await suite.committed(id)
                if let state, versions.last?.version != state.version { versions.append((state.version, .now)) }
                let innings = state?.expanded.innings.last
                return innings?.score == ball.score && innings?.overs == ball.overs
            }
        }

        // MARK: - People

        private mutating func act(on id: MatchID, share: Int) async throws {
            _ = try? await fleet.displayState(of: id)
            for phone in users.some(max(fleet.phones.count / share, 1), of: fleet.phones) {
                let state = await phone.state
                let action = users.action(on: state, id)
                do { try await phone.perform(action) } catch is LabRefusal { continue }
                done[action.action, default: 0] += 1
                showing.remove(phone.id)
                switch action.action {
                // Without a network the follow button goes back.
                case .follow: if state.isOnline { decided(true, on: state) }
                case .unfollow: decided(false, on: state)
                case .dismiss:
                    if state.app == .killed { wants[state.user] = nil } else { decided(false, on: state) }
                    swiped[state.id] = state.user
                // The process of an app that sleeps ends before it has heard of the swipe.
                case .killApp: if state.isAsleep, swiped[state.id] != nil { wants[state.user] = nil }
                case .restart:
                    outOfContact.insert(state.id)
                    // It may be what took the card, as far as the phone can tell.
                    if swiped.removeValue(forKey: state.id) != nil { wants[state.user] = nil }
                // An app that slept through both switches takes the card for swiped away.
                case .grantPermission:
                    if state.isAsleep {
                        outOfContact.insert(state.id)
                        wants[state.user] = nil
                    }
                case .switchUser: swiped[state.id] = nil
                // With the app goes what it had to tell.
                case .reinstall:
                    outOfContact.insert(state.id)
                    for (user, knowing) in untold where knowing == state.id {
                        untold[user] = nil
                        wants[user] = nil
                    }
                    if swiped.removeValue(forKey: state.id) != nil { wants[state.user] = nil }
                default: break
                }
            }
        }

        private mutating func decided(_ follows: Bool, on phone: LabPhoneState) {
            deciders[phone.user] = phone.id
            if follows { swiped = swiped.filter { $0.value != phone.user } }
            // What another phone has to tell comes later, and counts then.
            guard untold[phone.user, default: phone.id] == phone.id else {
                wants[phone.user] = nil
                return
            }
            wants[phone.user] = follows
            untold[phone.user] = phone.isOnline ? nil : phone.id
        }

        // MARK: - What must be

        private mutating func allRight(_ id: MatchID, _ label: String) async throws {
            var wrong: [String] = []
            var (right, away) = (0, 0)
            do {
                try await eventually("every Lock Screen is right", within: .seconds(40)) {
                    let newest = try #require(try await suite.committed(id))
                    if versions.last?.version != newest.version { versions.append((newest.version, .now)) }
                    (wrong, right, away) = ([], 0, 0)
                    var states: [LabPhoneState] = []
                    for phone in fleet.phones { states.append(await phone.state) }
                    let fleetUsers = states.reduce(into: [:]) { $0[$1.user, default: 0] += 1 }
                    wrong = try await unfollowed(id)
                    for state in states {
                        if state.isOnline, Self.runs(state), outOfContact.remove(state.id) != nil { restored += 1 }
                        guard state.isOnline, !outOfContact.contains(state.id) else {
                            away += 1
                            continue
                        }
                        if Self.hasLostItsStart(state) || Self.keptItsToken(state) || Self.mayHaveSwiped(state) {
                            away += 1
                            continue
                        }
                        if let fault = fault(of: state, id, newest, fleetUsers) {
                            wrong.append(fault)
                        } else {
                            right += 1
                        }
                    }
                    return wrong.isEmpty
                }
            } catch {
                await report(wrong, label)
                throw error
            }
            overEnds += 1
            showing = []
            for phone in fleet.phones {
                let state = await phone.state
                if state.isOnline, Self.runs(state), untold[state.user] == state.id { untold[state.user] = nil }
                if state.isOnline, state.activities.contains(where: { $0.matchId == id && $0.state != .ended }) {
                    showing.insert(phone.id)
                }
            }
            // Whatever they do, many want to see it: if nobody did, everything above would hold.
            leastShowing = min(leastShowing, showing.count)
            #expect(showing.count * 5 >= fleet.phones.count, "\(label): \(showing.count) show the match")
            checks += right
            skipped += away
        }

        /// The users whose follow ended without an unfollow or a swipe.
        private func unfollowed(_ id: MatchID) async throws -> [String] {
            let followers = Set(
                try await suite.database.query(
                    "SELECT user_id FROM match_follows WHERE match_id = $1", [.int(id.rawValue)]
                ).map { try $0.string("user_id") })
            return try wants.keys.sorted().filter { user in
                try wants[user] == true && untold[user] == nil
                    && !followers.contains(DevelopmentIdentity.subject(of: user))
            }.map { "\($0) follows the match no longer, and wants to" }
        }

        /// Whether the app's process is there and not suspended.
        private static func runs(_ phone: LabPhoneState) -> Bool { phone.app != .killed && !phone.isAsleep }

        /// What a person who looks at a phone would object to.
        private func fault(
            of phone: LabPhoneState, _ id: MatchID, _ newest: ContentState, _ fleetUsers: [String: Int]
        ) -> String? {
            let button = phone.followButtons.first { $0.matchId == id } ?? LabFollowButton(matchId: id, state: .empty)
            let running = phone.activities.filter { $0.matchId == id && $0.state != .ended }
            let runs = Self.runs(phone)
            let app = phone.isAsleep ? "asleep" : "\(phone.app)"
            let about = "\(phone.name) (\(app), \(phone.user), \(phone.log.suffix(6).map(\.text)))"
            if swiped[phone.id] == phone.user, !running.isEmpty { return "\(about): a swiped card came back" }
            if button.isPending, runs { return "\(about): the follow button is pending" }
            // Another phone may have asked for it meanwhile, and this one not know.
            let isAlone = fleetUsers[phone.user] == 1 && deciders[phone.user] == phone.id
            // Nor does anybody of what another phone has not told.
            let wants = untold[phone.user, default: phone.id] == phone.id ? wants[phone.user] : nil
            if isAlone, runs, let wants, wants != (button.state != .empty) {
                return
                    "\(about): the follow button is \(button.state), and \(wants ? "should not be" : "should be") empty"
            }
            // An app that is not running does not hear what its user does on another phone; the system does.
            guard let follows = runs ? button.state != .empty : wants else { return nil }
            // One without an activity hears of another phone's unfollow when its app asks the next time.
            if running.isEmpty, wants != true, deciders[phone.user] != phone.id { return nil }
            let shows = follows && phone.allowsActivities && swiped[phone.id] != phone.user
            guard shows else {
                return running.isEmpty ? nil : "\(about): \(running.count) activities though \(button.state)"
            }
            guard running.count == 1, let shown = running.first else { return "\(about): \(running.count) activities" }
            guard shown.state == .active else { return "\(about): it is stale" }
            guard Self.isRight(shown.content, newest) || !phone.allowsFrequentPushes && isCoarse(shown.content) else {
                return "\(about): version \(shown.content.version), not \(newest.version)"
            }
            if runs, button.state != .filled { return "\(about): the follow button is \(button.state)" }
            return nil
        }

        /// A start that a phone drops, or that a restart takes before its token is sent, is one that may still be on its
        /// way to everybody else, so there is no other for START_LEASE (120 s).
        private static func hasLostItsStart(_ phone: LabPhoneState) -> Bool {
            let since = Int64(Date().timeIntervalSince1970 * 1_000) - 130_000
            if phone.log.contains(where: { $0.atMs > since && $0.text == "Dropped: Live Activities are switched off" })
            {
                return true
            }
            guard let start = phone.log.lastIndex(where: { $0.atMs > since && $0.text == "A push starts an activity" }),
                let restart = phone.log[start...].firstIndex(where: { $0.text == "Restarts the phone" })
            else { return false }
            return !phone.log[start..<restart].contains { $0.text.hasPrefix("Ball ") }
        }

        /// The app did not run, or was not told, between a start and the activity's token: the backend cannot update that
        /// activity before the app's next contact.
        private static func keptItsToken(_ phone: LabPhoneState) -> Bool {
            guard !runs(phone) || phone.log.contains(where: { $0.text == "The streams of tokens fall silent" }),
                let start = phone.log.lastIndex(where: { $0.text == "A push starts an activity" })
            else { return false }
            return !phone.log[start...].contains { $0.text.hasPrefix("Ball ") }
        }

        /// The card left the screen while the app did not run: it may have been swiped away, so only the user brings it
        /// back.
        private static func mayHaveSwiped(_ phone: LabPhoneState) -> Bool {
            guard phone.activities.allSatisfy({ $0.state == .ended }),
                let gone = phone.log.lastIndex(where: { $0.text.contains("leaves the Lock Screen") })
            else { return false }
            let ran = phone.log[..<gone].lastIndex { $0.text == "Opens the app" || $0.text.contains("is launched") }
            let killed = phone.log[..<gone].lastIndex { $0.text == "Swipes the app away" }
            guard let killed, killed > ran ?? -1 else { return false }
            return !phone.log[gone...].contains { $0.text.hasPrefix("A push starts") || $0.text.hasPrefix("Touches") }
        }

        /// Where frequent updates are switched off a phone is at most a minute behind.
        private func isCoarse(_ shown: ContentState) -> Bool {
            let minute = ContinuousClock.now - .seconds(65)
            return shown.version >= versions.last { $0.at < minute }?.version ?? 0
        }

        /// A routine update may be cut: it shows the version and the score, and nothing that is not so.
        private static func isRight(_ shown: ContentState, _ newest: ContentState) -> Bool {
            shown.version == newest.version && shown.compactLeading == newest.compactLeading
                && shown.compactTrailing == newest.compactTrailing && shown.expanded.innings == newest.expanded.innings
                && shown.expanded.status == newest.expanded.status
        }

        private func ended(_ id: MatchID) async throws {
            for phone in fleet.phones {
                let state = await phone.state
                if !state.isOnline { try await phone.perform(LabAction(.online)) }
                if Self.keptItsToken(state) { try await phone.perform(LabAction(.openApp)) }
            }
            var wrong: [String] = []
            do {
                try await eventually("every activity is ended", within: .seconds(60)) {
                    let newest = try #require(try await suite.committed(id))
                    wrong = []
                    for phone in fleet.phones {
                        let state = await phone.state
                        for shown in state.activities where shown.matchId == id {
                            if shown.state != .ended { wrong.append("\(state.name): not ended \(state.log.suffix(6))") }
                        }
                        let shown = state.activities.filter { $0.matchId == id }
                        if shown.count > 1 { wrong.append("\(state.name): \(shown.count) activities") }
                        // A phone that showed it at the last over end shows its end, unless another phone of its user had
                        // something else to tell.
                        guard showing.contains(phone.id), untold[state.user] == nil, wants[state.user] == true else {
                            continue
                        }
                        let content = shown.last?.content
                        if content?.matchDisplayState != .completed || content?.version != newest.version {
                            wrong.append(
                                "\(state.name): its last version is \(content?.version ?? 0) \(state.log.suffix(6))")
                        }
                    }
                    return newest.matchDisplayState == .completed && wrong.isEmpty
                }
            } catch {
                await report(wrong, "the end")
                throw error
            }
        }

        /// What is wrong, with the logs of the user's phones and what the backend knows of the user.
        private func report(_ wrong: [String], _ label: String) async {
            for line in wrong.prefix(10) { Issue.record("\(label): \(line)") }
            var states: [LabPhoneState] = []
            for phone in fleet.phones { states.append(await phone.state) }
            let users = Set(
                states.filter { state in
                    wrong.contains {
                        $0.hasPrefix("\(state.name) (") || $0.hasPrefix("\(state.name): ")
                            || $0.hasPrefix("\(state.user) ")
                    }
                }.map(\.user))
            for user in users.sorted().prefix(10) {
                for table in ["match_follows", "devices", "live_activities"] {
                    let rows = try? await suite.database.query(
                        "SELECT row_to_json(t)::text AS row FROM \(table) t WHERE user_id = $1",
                        [.text(DevelopmentIdentity.subject(of: user))])
                    for row in rows ?? [] { print("\(user) \(table):", (try? row.string("row")) ?? "") }
                }
                for state in states where state.user == user {
                    for event in state.log { print("\(user) \(state.id): \(event.atMs) \(event.text)") }
                }
            }
        }
    }
}
