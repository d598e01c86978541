import FoundationEssentials
import PretendPhones
import SightscreenModels
import Testing

@testable import DeviceLab

/// What browsers are told, without a server.
@Suite struct LabTests {
    private static let match = MatchID(7)
    private static let start: Int64 = 1_000_000

    private static func phones(_ count: Int) -> [PretendPhone] {
        (1...count).map { PretendPhone(id: "p\($0)", name: "Phone \($0)", users: ["asha"]) { start } }
    }

    private static func state(
        _ id: String, version: Int, score: String = "87/6", overs: String = "12.3", shownAtMs: Int64 = start,
        startedAtMs: Int64 = 0, onlineSinceMs: Int64 = 0
    ) -> LabPhoneState {
        LabPhoneState(
            id: id, name: id, user: "asha", onlineSinceMs: onlineSinceMs,
            activities: [
                LabActivity(
                    id: "a", matchId: match, state: .active, isPushStarted: true, attributes: nil,
                    content: .pretend(version: version, score: score, overs: overs), startedAtMs: startedAtMs,
                    shownAtMs: shownAtMs)
            ], island: .init(primary: "a"))
    }

    private static func lab(_ count: Int = 3) async -> Lab {
        let phones = phones(count)
        let lab = Lab(phones: phones) { start }
        for phone in phones { await lab.take(await phone.state) }
        return lab
    }

    private static func tape(_ cursor: Int, _ label: String) -> LabTapePosition {
        LabTapePosition(
            tapeId: "7", variant: "clean", cursor: cursor, frames: 100, label: label, isPlaying: true, speed: 1,
            isLast: false)
    }

    @Test func tellsANewBrowserEverything() async throws {
        let lab = await Self.lab()
        let ticket = try #require(await lab.connect(selecting: "p2"))
        let update = try #require(await lab.update(for: ticket.id))
        #expect(update.hello == ticket.id && update.isWhole && update.lab != nil)
        #expect(update.phones.map(\.id) == ["p1", "p2", "p3"])
        #expect(update.phone?.id == "p2")
    }

    @Test func tellsOnlyWhatHasChangedSince() async throws {
        let lab = await Self.lab()
        let ticket = try #require(await lab.connect(selecting: "p2"))
        _ = await lab.update(for: ticket.id)
        let nothing = try #require(await lab.update(for: ticket.id))
        #expect(nothing.lab == nil && nothing.phones.isEmpty && nothing.phone == nil && !nothing.isWhole)
        await lab.take(Self.state("p3", version: 4))
        let update = try #require(await lab.update(for: ticket.id))
        #expect(update.phones.map(\.id) == ["p3"] && update.phone == nil && !update.isWhole)
        #expect(update.lab?.phones.showing == 1)
    }

    @Test func keepsTheNewestOfManyChangesAndNoQueue() async throws {
        let lab = await Self.lab()
        let ticket = try #require(await lab.connect(selecting: "p1"))
        _ = await lab.update(for: ticket.id)
        for version in 1...500 { await lab.take(Self.state("p1", version: version)) }
        let update = try #require(await lab.update(for: ticket.id))
        #expect(update.phones.map { $0.shown.first?.version } == [500])
        #expect(update.phone?.activities.first?.content.version == 500)
        // However often it was notified, one wake-up waits.
        var wakeUps = 0
        await lab.disconnect(ticket.id)
        for await _ in ticket.wakeUps { wakeUps += 1 }
        #expect(wakeUps == 1)
    }

    @Test func tellsThePhoneThatIsWatchedAlsoWhenItsTileStaysTheSame() async throws {
        let lab = await Self.lab()
        let ticket = try #require(await lab.connect(selecting: "p1"))
        await lab.take(Self.state("p1", version: 3))
        _ = await lab.update(for: ticket.id)
        var state = Self.state("p1", version: 3)
        state.log = [LabLogLine(atMs: 1, kind: .user, text: "looks at it")]
        await lab.take(state)
        let update = try #require(await lab.update(for: ticket.id))
        #expect(update.phone?.log.count == 1 && update.phones.isEmpty)
    }

    @Test func changesTheSelectedPhone() async throws {
        let lab = await Self.lab()
        let ticket = try #require(await lab.connect(selecting: nil))
        #expect(await lab.update(for: ticket.id)?.phone?.id == "p1")
        #expect(await lab.select("p3", by: ticket.id))
        #expect(await lab.update(for: ticket.id)?.phone?.id == "p3")
        #expect(await !lab.select("p9", by: ticket.id))
        #expect(await !lab.select("p1", by: 99))
    }

    @Test func takesSoManyBrowsersAndNoMore() async throws {
        let lab = await Self.lab()
        var tickets: [Lab.Ticket] = []
        for _ in 0..<Lab.browsersMax { tickets.append(try #require(await lab.connect(selecting: nil))) }
        #expect(await lab.connect(selecting: nil) == nil)
        await lab.disconnect(tickets[0].id)
        #expect(await lab.update(for: tickets[0].id) == nil)
        #expect(await lab.connect(selecting: nil) != nil)
        await lab.stop()
        #expect(await lab.browserCount == 0)
        #expect(await lab.connect(selecting: nil) == nil)
        for ticket in tickets { for await _ in ticket.wakeUps {} }
    }

    @Test func countsWhoIsBehind() async throws {
        let lab = await Self.lab(4)
        await lab.take(Self.state("p1", version: 9))
        await lab.take(Self.state("p2", version: 8))
        var ended = Self.state("p3", version: 7)
        ended.activities[0].state = .ended
        await lab.take(ended)
        let counts = await lab.state.phones
        #expect(counts.all == 4 && counts.showing == 2 && counts.behind == 1)
        // Somebody else knows of a newer one.
        await lab.learn(.pretend(version: 10), of: Self.match)
        #expect(await lab.state.phones.behind == 2)
    }

    @Test func countsWhoListensToAChannel() async {
        let lab = await Self.lab(4)
        let channel = ChannelID("YQ==")
        for (phone, listens, state) in [
            ("p1", true, LabActivity.State.active), ("p2", true, .stale), ("p3", true, .ended), ("p4", false, .active),
        ] {
            var shown = Self.state(phone, version: 3)
            shown.activities[0].state = state
            shown.activities[0].channel = listens ? channel : nil
            await lab.take(shown)
        }
        await lab.take([(Self.match, "MI v CSK", Self.tape(5, ""))], shownAtMs: [:])
        #expect(await lab.state.matches.first?.channels.isEmpty == true)
        await lab.take([
            Self.match: [
                LabChannel(id: channel, alerts: .all, state: .open), LabChannel(alerts: .key, state: .asked),
            ]
        ])
        #expect(await lab.state.matches.first?.channels.map(\.listeners) == [2, 0])
        #expect(await lab.phonesInShort.compactMap { $0.shown.first?.channel }.count == 3)
    }

    /// What latency a lab has measured. Each phone has had its first update before the first ball.
    private static func measured(_ play: (Lab) async -> Void) async -> LabLatency {
        let lab = await lab()
        for phone in ["p1", "p2"] {
            await lab.take(state(phone, version: 2, score: "86/6", overs: "12.2", shownAtMs: start - 200))
            await lab.take(state(phone, version: 3, score: "86/6", overs: "12.2", shownAtMs: start - 100))
        }
        await lab.take([(match, "MI v CSK", tape(5, "S2 12.3 87/6"))], shownAtMs: [match: start])
        await play(lab)
        return await lab.state.latency
    }

    @Test func measuresFromBallToLockScreen() async {
        let latency = await Self.measured { lab in
            #expect(await lab.state.latency.count == 0)
            await lab.take(Self.state("p1", version: 4, shownAtMs: Self.start + 300))
            await lab.take(Self.state("p2", version: 4, shownAtMs: Self.start + 900))
            // Shown again: no second measurement.
            await lab.take(Self.state("p1", version: 4, shownAtMs: Self.start + 5_000))
        }
        #expect(latency.count == 2 && latency.p50Ms == 300 && latency.p95Ms == 900 && latency.maxMs == 900)
        #expect(latency.buckets.map(\.count).reduce(0, +) == 2)
    }

    @Test func aVersionWithoutANewBallIsNotMeasured() async {
        let latency = await Self.measured { lab in
            await lab.take(Self.state("p1", version: 4, shownAtMs: Self.start + 300))
            // Paused: a keep-alive every half a minute.
            for version in 5...9 {
                let at = Self.start + Int64(version) * 30_000
                await lab.take(Self.state("p1", version: version, shownAtMs: at))
            }
        }
        #expect(latency.count == 1 && latency.maxMs == 300)
    }

    @Test func aCorrectionBackToAnEarlierScoreIsNotMeasured() async {
        let latency = await Self.measured { lab in
            await lab.take(Self.state("p1", version: 4, shownAtMs: Self.start + 300))
            await lab.take(
                [(Self.match, "MI v CSK", Self.tape(6, "S2 12.4 91/6"))], shownAtMs: [Self.match: Self.start + 1_000])
            await lab.take(Self.state("p1", version: 5, score: "91/6", overs: "12.4", shownAtMs: Self.start + 1_400))
            await lab.take(Self.state("p1", version: 6, shownAtMs: Self.start + 20_000))
        }
        #expect(latency.count == 2 && latency.maxMs == 400)
    }

    @Test func aBallThatCameBeforeTheFirstUpdateIsNotMeasured() async {
        let latency = await Self.measured { lab in
            // Started before the ball; its token is known to the server seconds later.
            await lab.take(Self.state("p3", version: 3, score: "86/6", overs: "12.2", startedAtMs: Self.start - 10))
            await lab.take(Self.state("p3", version: 4, shownAtMs: Self.start + 4_000))
            await lab.take(
                [(Self.match, "MI v CSK", Self.tape(6, "S2 12.4 91/6"))], shownAtMs: [Self.match: Self.start + 5_000])
            await lab.take(Self.state("p3", version: 5, score: "91/6", overs: "12.4", shownAtMs: Self.start + 5_200))
        }
        #expect(latency.count == 1 && latency.maxMs == 200)
    }

    @Test func measuresNobodyWhoWasAwayWhenTheBallCame() async {
        let latency = await Self.measured { lab in
            await lab.take(Self.state("p1", version: 4, shownAtMs: Self.start + 300, onlineSinceMs: Self.start + 1))
            // A first content is no ball's way either.
            await lab.take(Self.state("p3", version: 4, shownAtMs: Self.start + 300))
        }
        #expect(latency.count == 0)
    }

    @Test func meansTheMatchThatPlays() async {
        let lab = await Self.lab()
        #expect(await lab.currentMatch == nil)
        var paused = Self.tape(1, "")
        paused.isPlaying = false
        await lab.take(
            [(MatchID(1), "one", Self.tape(1, "")), (MatchID(2), "two", paused)], shownAtMs: [:])
        #expect(await lab.currentMatch == MatchID(1))
        await lab.take([(MatchID(1), "one", paused), (MatchID(2), "two", paused)], shownAtMs: [:])
        #expect(await lab.currentMatch == MatchID(2))
    }
}
