import SightscreenClient
import SightscreenClientTesting
import SightscreenModels
import Testing

/// Activities are created, adopted, restored, observed and ended, and stale ones cleaned up.
@Suite struct LifecycleManagerTests {
    private static let match = Sample.match()
    private static let dismissedPath = "POST /matches/1304076/activity-dismissed"

    private func following(_ matches: MatchItem...) async throws -> Phone {
        let phone = try await Phone(matches[0])
        await phone.gateway.setFollows([matches[0].id], of: Sample.user)
        try await phone.launch()
        try await phone.app.syncFollows()
        return phone
    }

    @Test func aFollowByTheUserRequestsAnActivityWithAToken() async throws {
        let phone = try await Phone(Self.match)
        try await phone.launch()
        try await phone.app.follow(Self.match)
        let shown = try #require(await phone.shown().first)
        #expect(shown.content.state == Self.match.displayState)
        // As the backend would say.
        #expect(shown.content.staleAt == phone.clock.now + 600)
        #expect(shown.content.relevance == ScriptedGateway.relevance)
        #expect(shown.activity.attributes.homeTeam == "Mumbai Indians")
        #expect(shown.activity.startID == nil)
        #expect(try await phone.registeredActivity(Self.match.id) == shown.id)
        await phone.end()
    }

    @Test func aCardThatIsTooLargeIsRequestedWithoutLogos() async throws {
        var match = Self.match
        match.home.logo = "https://images.example/\(String(repeating: "a", count: 200)).png"
        match.away.logo = match.home.logo
        var limits = PhoneLimits()
        limits.payloadBytesMax = 1_200
        let phone = try await Phone(match, limits: limits)
        try await phone.launch()
        try await phone.app.follow(match)
        let shown = try #require(await phone.shown().first)
        #expect(shown.activity.attributes.homeLogo == nil && shown.activity.attributes.awayLogo == nil)
        #expect(await phone.app.followButton(for: match.id) == FollowButton(.filled))
        await phone.end()
    }

    @Test func aCardThatTheAppStartedIsOutOfDateWithoutUpdates() async throws {
        let phone = try await Phone(Self.match)
        try await phone.launch()
        try await phone.app.follow(Self.match)
        phone.clock.advance(seconds: 600)
        try await phone.soon("the phone shows that it is out of date") {
            await phone.shown().map(\.state) == [.stale]
        }
        await phone.end()
    }

    @Test func anActivityThatAPushStartedIsAdopted() async throws {
        let phone = try await following(Self.match)
        let id = try await phone.pushStart(Self.match.id)
        try await phone.soon("it is adopted") { await phone.managers.lifecycle.activities().map(\.id) == [id] }
        // The system may report it again.
        await phone.kit.repeatAppearance(of: id)
        #expect(try await phone.registeredActivity(Self.match.id) == id)
        #expect(await phone.managers.lifecycle.activities().count == 1)
        await phone.end()
    }

    @Test func aDismissalByTheUserIsReported() async throws {
        let phone = try await following(Self.match)
        let id = try await phone.pushStart(Self.match.id)
        _ = try await phone.registeredActivity(Self.match.id)
        await phone.kit.dismiss(id)
        try await phone.soon("the gateway was told") { await phone.gateway.successes(Self.dismissedPath).count == 1 }
        let body = try #require(await phone.gateway.calls(Self.dismissedPath).first?.body)
        #expect(body["activityId"]?.text == id.rawValue)
        #expect(body["deviceId"]?.text == Sample.device.rawValue)
        // The gateway took it for an unfollow.
        try await phone.soon("the follow button is empty") {
            await phone.app.followButton(for: Self.match.id) == .empty
        }
        await phone.end()
    }

    @Test func aDismissalWithoutANetworkIsReportedLater() async throws {
        let phone = try await following(Self.match)
        let id = try await phone.pushStart(Self.match.id)
        _ = try await phone.registeredActivity(Self.match.id)
        await phone.gateway.setOffline(true)
        await phone.kit.dismiss(id)
        try await phone.soon("it was tried") { await phone.gateway.calls(Self.dismissedPath).count == 1 }
        await phone.gateway.setOffline(false)
        await phone.app.enterForeground()
        try await phone.soon("the gateway was told") { await phone.gateway.successes(Self.dismissedPath).count == 1 }
        await phone.end()
    }

    @Test func aColdStartTakesChargeOfWhatIsThere() async throws {
        let phone = try await following(Self.match)
        let id = try await phone.pushStart(Self.match.id)
        let before = try await phone.registeredActivity(Self.match.id)
        await phone.killApp()
        // While the app does not run, the token changes and the score moves.
        await phone.kit.rotateToken(of: id)
        try await phone.pushUpdate(id, Sample.state(version: 2, score: "91/6"))
        await phone.kit.setForeground(true)
        try await phone.launch()
        #expect(await phone.managers.lifecycle.activities().map(\.content.state.version) == [2])
        let rotated = try #require(await phone.shown().first?.token)
        try await phone.until("the rotated token is there") {
            await phone.gateway.activities[Self.match.id]?.token == rotated
        }
        #expect(before == id)
        // The activity is observed again.
        try await phone.pushUpdate(id, Sample.state(version: 3, score: "95/6"))
        try await phone.soon("the score is there") {
            await phone.managers.lifecycle.activities().first?.content.state.version == 3
        }
        await phone.kit.dismiss(id)
        try await phone.soon("the dismissal is reported") {
            await phone.gateway.successes(Self.dismissedPath).count == 1
        }
        await phone.end()
    }

    @Test func whatAnActivityShowsIsObserved() async throws {
        let phone = try await following(Self.match)
        let id = try await phone.pushStart(Self.match.id)
        try await phone.pushUpdate(id, Sample.state(version: 2, score: "91/6"))
        var scores: [String] = []
        for await shown in await phone.app.shownActivities() {
            scores += shown.map(\.content.state.compactLeading.score)
            if scores.last == "91/6" { break }
        }
        #expect(scores.last == "91/6")
        await phone.end()
    }

    // MARK: - Stale activity cleanup

    @Test func anActivityWithoutNewsForHalfAnHourEndsWhenTheAppComesToTheFront() async throws {
        let phone = try await following(Self.match)
        let id = try await phone.pushStart(Self.match.id)
        _ = try await phone.registeredActivity(Self.match.id)
        try await phone.pushUpdate(id, Sample.state(version: 2))
        try await phone.soon("the update is there") {
            await phone.managers.lifecycle.activities().first?.content.state.version == 2
        }
        let news = phone.clock.now
        phone.clock.advance(seconds: StaleLimit.seconds - 1)
        await phone.app.enterForeground()
        #expect(await phone.shown().map(\.isRunning) == [true])
        await phone.app.enterBackground()
        phone.clock.advance(seconds: news + StaleLimit.seconds - phone.clock.now)
        await phone.app.enterForeground()
        #expect(await phone.shown().isEmpty)
        try await phone.soon("the follow button warns") {
            await phone.app.followButton(for: Self.match.id).state == .filledWithWarning
        }
        #expect(await phone.gateway.calls(Self.dismissedPath).isEmpty)
        await phone.end()
    }

    @Test func anActivityThatIsStaleEndsAtAColdStart() async throws {
        let phone = try await following(Self.match)
        try await phone.pushStart(Self.match.id)
        await phone.killApp()
        phone.clock.advance(seconds: StaleLimit.seconds + 1)
        await phone.app.start()
        #expect(await phone.shown().isEmpty)
        await phone.end()
    }

    @Test func aRunningAppLooksEveryMinute() async throws {
        let phone = try await following(Self.match)
        try await phone.pushStart(Self.match.id)
        _ = try await phone.registeredActivity(Self.match.id)
        await phone.app.enterForeground()
        try await phone.until("it is ended", step: .seconds(60)) { await phone.shown().isEmpty }
        #expect(phone.clock.now - Sample.now >= StaleLimit.seconds)
        #expect(await phone.gateway.calls(Self.dismissedPath).isEmpty)
        await phone.end()
    }

    /// A launch reports its window before the user's session is restored.
    @Test func anAppThatWasInFrontBeforeItsStartLooksEveryMinute() async throws {
        let phone = try await Phone(Self.match)
        await phone.gateway.setFollows([Self.match.id], of: Sample.user)
        await phone.app.enterForeground()
        try await phone.launch()
        try await phone.pushStart(Self.match.id)
        try await phone.until("it is ended", step: .seconds(60)) { await phone.shown().isEmpty }
        // Nothing but the app ends it so early.
        #expect(phone.clock.now - Sample.now < 2 * 3_600)
        #expect(await phone.gateway.calls(Self.dismissedPath).isEmpty)
        await phone.end()
    }

    @Test func oneOfTwoWindowsThatGoesAwayDoesNotStopTheLooks() async throws {
        let phone = try await following(Self.match)
        try await phone.pushStart(Self.match.id)
        let (left, right) = (AppScene(), AppScene())
        await phone.app.enterForeground(left)
        await phone.app.enterForeground(right)
        // The user switches to it once more.
        await phone.app.enterForeground(left)
        await phone.app.enterBackground(left)
        try await phone.until("it is ended", step: .seconds(60)) { await phone.shown().isEmpty }
        #expect(phone.clock.now - Sample.now < 2 * 3_600)
        await phone.app.enterBackground(right)
        await phone.end()
        #expect(phone.clock.sleeperCount == 0)
    }

    /// iOS lets the app sleep while pushes update the activity.
    @Test func anAppThatSleptLooksAtTheCardBeforeItEndsIt() async throws {
        let phone = try await following(Self.match)
        let id = try await phone.pushStart(Self.match.id)
        _ = try await phone.registeredActivity(Self.match.id)
        await phone.kit.setSilentContentStreams(true)
        phone.clock.advance(seconds: 20 * 60)
        try await phone.pushUpdate(id, Sample.state(version: 2, score: "91/6"))
        phone.clock.advance(seconds: 15 * 60)
        await phone.app.enterForeground()
        #expect(await phone.shown().map(\.isRunning) == [true])
        #expect(await phone.managers.lifecycle.activities().map(\.content.state.version) == [2])
        await phone.end()
    }

    @Test func aKeepAliveIsNewsThoughTheScoreIsTheSame() async throws {
        let phone = try await following(Self.match)
        let id = try await phone.pushStart(Self.match.id)
        for _ in 1...4 {
            phone.clock.advance(seconds: 20 * 60)
            try await phone.pushUpdate(id, Sample.state(version: 1))
            let staleAt = await phone.shown().first?.content.staleAt
            try await phone.soon("it is there") {
                await phone.managers.lifecycle.activities().first?.content.staleAt == staleAt
            }
            await phone.managers.lifecycle.endStaleActivities()
        }
        #expect(await phone.shown().map(\.isRunning) == [true])
        await phone.end()
    }
}

/// The half hour, written here again so that a change of the rule fails the tests.
enum StaleLimit { static let seconds = 30 * 60 }
