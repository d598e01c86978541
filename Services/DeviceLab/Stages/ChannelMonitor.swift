import Postgres
import SightscreenModels
import Store

/// Reads the broadcast channels of matches: their rows in the database, and the publishes that APNs has accepted.
actor ChannelMonitor {
    /// A line of the list of apns-simulator.
    private struct Listed: Decodable {
        var id: ChannelID
        var publishes: Int
    }

    private let pool: PostgresPool
    private let apns: ControlPort
    private let started = ContinuousClock.now
    private var meter = RateMeter(window: 60)

    init(pool: PostgresPool, apns: ControlPort) {
        self.pool = pool
        self.apns = apns
    }

    /// The channels of each match; nil where the database does not answer.
    func look(at matches: [MatchID]) async -> [MatchID: [LabChannel]]? {
        var rows: [MatchID: [MatchChannel]] = [:]
        for match in matches {
            guard let found = try? await pool.query(MatchChannel.statement, [.int(match.rawValue)]),
                let channels = try? found.map(MatchChannel.init)
            else { return nil }
            if !channels.isEmpty { rows[match] = channels }
        }
        guard !rows.isEmpty else { return [:] }
        let listed = (try? await apns.get("/channels", as: [Listed].self)) ?? []
        let publishes = Dictionary(listed.map { ($0.id, $0.publishes) }) { first, _ in first }
        return rows.mapValues { $0.compactMap { channel($0, publishes) } }
    }

    private func channel(_ row: MatchChannel, _ publishes: [ChannelID: Int]) -> LabChannel? {
        guard let alerts = AlertLevel(rawValue: row.alerts), let state = LabChannel.State(rawValue: row.state) else {
            return nil
        }
        let accepted = row.channelId.flatMap { publishes[$0] }
        return LabChannel(
            id: row.channelId, alerts: alerts, generation: row.generation, state: state, publishes: accepted,
            lastMinute: row.channelId.flatMap { id in accepted.map { lastMinute(of: id, $0) } },
            perMinuteMax: row.perMinute, restsUntilMs: row.restsUntil.map { Int64($0) * 1_000 })
    }

    private func lastMinute(of channel: ChannelID, _ publishes: Int) -> Int {
        let now = (ContinuousClock.now - started) / .seconds(1)
        return Int(meter.growth(of: channel.rawValue, Double(publishes), at: now)?.value ?? 0)
    }
}
