import Postgres
import SightscreenModels
import TestKit
import Testing

/// One real T20 through the real executables to phones with tokens and phones that listen to broadcast channels.
@Suite struct ChannelMatchTests {
    private static let match: Int64 = 1_304_076
    private static let tokens = ["asha", "ben", "chitra"]
    private static let listeners = ["dev", "esha", "farid", "gita", "hari"]
    private static let levels: [String: AlertLevel] = [
        "ben": .key, "chitra": .none, "gita": .key, "hari": .key,
    ]

    @Test(.timeLimit(.minutes(10))) func theSameReachesThoseWhoListenAsThoseWithTokens() async throws {
        try await play { suite, fleet, _ in
            let (phones, history) = (await fleet.phones, await fleet.history)
            for (number, phone) in phones.enumerated() {
                try check(phone, number, history)
            }
            let told = Dictionary(grouping: phones.indices) { Self.levels[phones[$0].user] ?? .all }
                .mapValues { $0.map { Self.alerts(of: $0, history) } }
            for (level, alerts) in told {
                #expect(Set(alerts).count == 1, "\(level): all are told the same: \(alerts)")
            }
            #expect(told[.all]?.first?.count ?? 0 > told[.key]?.first?.count ?? 0)
            #expect(told[.none]?.first?.isEmpty == true)
            try await checkEnd(suite)
        }
    }

    @Test(.timeLimit(.minutes(10))) func phonesCatchUpThoughServicesDieAndPublishesAreLost() async throws {
        try await play(
            during: { suite, fleet, id in
                try await suite.apns.losePublishes(0.05)
                try await suite.killEach(receiving: fleet)
                let position = try await suite.tape.position(id)
                #expect(position.cursor < position.frames, "all of them died while the match was on")
            }
        ) { suite, fleet, id in
            let final = try #require(try await suite.committed(id))
            for (number, phone) in await fleet.phones.enumerated() {
                try check(phone, number, await fleet.history, mayMiss: true)
                #expect(phone.activities.first?.state == final, "\(phone.device)")
            }
            let log = try await suite.apns.deliveries(since: 0)
            #expect(log.contains { $0.lost ?? 0 > 0 }, "some publishes are lost")
            let each = await fleet.phones.filter { $0.subscriber != nil }.map { Self.late($0, log) }
            let (total, late) = (each.reduce(0) { $0 + $1.total }, each.reduce(0) { $0 + $1.late })
            print(
                "{\"check\":\"channels\",\"phoneSeconds\":\(total / 1_000),\"lateSeconds\":\(late / 1_000)}")
            #expect(late * 1_000 <= total, "99.9 % of the time phones are at most forty seconds behind")
        }
    }

    /// How long a phone listened, and how much of that it showed a version older than one that was published forty
    /// seconds before, in milliseconds. The two minutes of a heartbeat are the bound where nothing happens; at this
    /// speed versions come every few seconds.
    private static func late(_ phone: SimulatedPhone, _ log: [PushDelivery]) -> (total: Int64, late: Int64) {
        guard let channel = phone.activities.first?.channel else { return (0, 0) }
        var (total, late): (Int64, Int64) = (0, 0)
        var shown = 0
        // When the oldest version that the phone does not show was published.
        var waitsSince: Int64?
        var last: Int64?
        for line in log where line.channel == channel && line.isAccepted {
            guard let version = line.payload?.aps.contentState?.version else { continue }
            if let last {
                total += line.receivedAt - last
                if let waitsSince { late += max(0, line.receivedAt - max(last, waitsSince + 40_000)) }
            }
            last = line.receivedAt
            if line.token.isEmpty, version > shown { waitsSince = waitsSince ?? line.receivedAt }
            if line.token == phone.subscriber { (shown, waitsSince) = (max(shown, version), nil) }
        }
        return (total, late)
    }

    /// Plays the match to phones of each kind until every card has ended.
    /// - Parameter during: what happens when every phone shows the match.
    private func play(
        during: (RunningSuite, PhoneFleet, MatchID) async throws -> Void = { _, _, _ in },
        _ body: (RunningSuite, PhoneFleet, MatchID) async throws -> Void
    ) async throws {
        let settings = ["BROADCAST": "auto", "CHANNEL_MIN_FOLLOWERS": "2"]
        try await RunningSuite.with(speed: 60, settings: settings) { suite in
            let users = (Self.tokens + Self.listeners).map { (name: $0, phones: 1) }
            let fleet = try suite.fleet(users, listeners: Set(Self.listeners))
            let id = try await suite.prepare(Self.match, fleet, speed: 60, alerts: Self.levels)
            try await eventually("two classes have channels", within: .seconds(30)) {
                try await suite.apns.channels().count == 2
            }
            _ = try await suite.tape.play(id)
            try await eventually("every phone shows the match", within: .seconds(60)) {
                try await fleet.receive()
                return await fleet.phones.allSatisfy { ($0.activities.first?.shown.count ?? 0) > 1 }
            }
            try await during(suite, fleet, id)
            try await eventually("every activity is ended", within: .seconds(480)) {
                try await fleet.receive()
                return await fleet.phones.allSatisfy { $0.activities.last?.endedAt != nil }
            }
            #expect(await fleet.problems == [])
            try await body(suite, fleet, id)
        }
    }

    private func check(
        _ phone: SimulatedPhone, _ number: Int, _ history: [PhoneFleet.Entry], mayMiss: Bool = false
    ) throws {
        let listens = Self.listeners.contains(phone.user)
        #expect(phone.activities.count == 1, "\(phone.device): one start")
        let activity = try #require(phone.activities.first)
        #expect((activity.channel != nil) == listens && (activity.updateToken == nil) == listens)
        let updates = activity.shown.dropLast()
        #expect(zip(updates, updates.dropFirst()).allSatisfy { $0 < $1 }, "\(phone.device): \(updates)")
        #expect(activity.state.matchDisplayState == .completed)
        let own = history.filter { $0.phone == number }
        let ends = own.count { $0.delivery.payload?.aps.event == "end" }
        // For a phone that missed the first, the channel has it again a minute later.
        #expect(ends == 1 || mayMiss && listens && ends > 1)
        let texts = own.compactMap { $0.delivery.payload?.aps.alert.map { "\($0.title) \($0.body)" } }
        #expect(Set(texts).count == texts.count, "\(phone.device): nothing is told twice")
    }

    /// The titles of the alerts of updates, in order.
    private static func alerts(of phone: Int, _ history: [PhoneFleet.Entry]) -> [String] {
        history.filter { $0.phone == phone && $0.delivery.payload?.aps.event == "update" }
            .compactMap { $0.delivery.payload?.aps.alert?.title }
    }

    /// Eight hours later the channels are deleted.
    private func checkEnd(_ suite: RunningSuite) async throws {
        // The phones may have it before APNs' answer is written.
        try await eventually("each channel has had one end", within: .seconds(20)) {
            try await suite.database.query("SELECT ends FROM broadcast_channels").map { try $0.int("ends") } == [1, 1]
        }
        try await suite.database.execute("UPDATE broadcast_channels SET ends = 13, end_due_at = NULL")
        try await eventually("no channel is left", within: .seconds(20)) { try await suite.apns.channels().isEmpty }
    }
}
