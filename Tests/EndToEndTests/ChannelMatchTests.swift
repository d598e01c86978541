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
        let settings = ["BROADCAST": "auto", "CHANNEL_MIN_FOLLOWERS": "2"]
        try await RunningSuite.with(speed: 60, settings: settings) { suite in
            let users = (Self.tokens + Self.listeners).map { (name: $0, phones: 1) }
            let fleet = try suite.fleet(users, listeners: Set(Self.listeners))
            let id = try await suite.prepare(Self.match, fleet, speed: 60, alerts: Self.levels)
            try await eventually("two classes have channels", within: .seconds(30)) {
                try await suite.apns.channels().count == 2
            }
            _ = try await suite.tape.play(id)
            try await eventually("every activity is ended", within: .seconds(480)) {
                try await fleet.receive()
                return await fleet.phones.allSatisfy { $0.activities.last?.endedAt != nil }
            }
            let (phones, history) = (await fleet.phones, await fleet.history)
            #expect(await fleet.problems == [])
            for (number, phone) in phones.enumerated() {
                try check(phone, number, history, listens: Self.listeners.contains(phone.user))
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

    private func check(
        _ phone: SimulatedPhone, _ number: Int, _ history: [PhoneFleet.Entry], listens: Bool
    ) throws {
        #expect(phone.activities.count == 1, "\(phone.device): one start")
        let activity = try #require(phone.activities.first)
        #expect((activity.channel != nil) == listens && (activity.updateToken == nil) == listens)
        let updates = activity.shown.dropLast()
        #expect(zip(updates, updates.dropFirst()).allSatisfy { $0 < $1 }, "\(phone.device): \(updates)")
        #expect(activity.state.matchDisplayState == .completed)
        let own = history.filter { $0.phone == number }
        #expect(own.count { $0.delivery.payload?.aps.event == "end" } == 1)
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
        let ends = try await suite.database.query("SELECT ends FROM broadcast_channels ORDER BY class")
        #expect(try ends.map { try $0.int("ends") } == [1, 1])
        try await suite.database.execute("UPDATE broadcast_channels SET ends = 13, end_due_at = NULL")
        try await eventually("no channel is left", within: .seconds(20)) { try await suite.apns.channels().isEmpty }
    }
}
