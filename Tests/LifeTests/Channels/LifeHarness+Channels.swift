import APNsProtocol
import Activities
import Postgres
import SightscreenModels
import Store
import TestKit
import Testing

@testable import APIGateway
@testable import LACoordinator
@testable import MatchOrchestrator

extension LifeHarness {
    var channels: ChannelStore { ChannelStore(pool: pool) }

    /// Takes the shards' leases over, as another process would.
    mutating func takeOver() async throws {
        let names = (0..<DeviceRoute.shardCount).map { LeaseName.shard($0) }
        let holder = "test\(shards.first?.epoch ?? 0)/1"
        try await pool.execute(
            "UPDATE leases SET expires_at = clock_timestamp() WHERE name = ANY ($1::text[])",
            [.textArray(names.map(\.rawValue))])
        shards = try await LeaseStore(pool: pool).acquire(names, holder: holder, duration: .seconds(1_000_000))
            .compactMap { ShardLease($0) }
    }

    mutating func askForChannels() async throws {
        channelLook = try await store.askForChannels(followers: 3, since: channelLook, under: orchestrator)
        let whole = try await store.askForChannels(followers: 3, under: orchestrator)
        #expect(whole.asked == 0, "a look at those who have come misses none")
    }

    /// The newest version and stamp of each match.
    func states() async throws -> [MatchID: (version: MatchVersion, stamp: Stamp)] {
        var states: [MatchID: (version: MatchVersion, stamp: Stamp)] = [:]
        for row in try await pool.query("SELECT match_id, version, stamp FROM active_matches WHERE ended_at IS NULL") {
            states[MatchID(try row.int64("match_id"))] = (
                MatchVersion(try row.int("version")), Stamp(try row.int("stamp"))
            )
        }
        return states
    }

    func claimAlert(_ version: MatchVersion, of match: MatchID, for bucket: AlertBucket) async throws -> Bool {
        try await activities.claimAlert(
            match, version: version, buckets: [bucket], bucketCount: DeviceRoute.shardCount, holder: "test/1",
            leases: shards
        ).gained.contains(bucket)
    }

    // MARK: - What apps and users do

    /// - Returns: the channel for a card that the app makes itself.
    func follow(_ phone: ListeningPhone, level: AlertLevel) async throws -> ChannelID? {
        try await follows.follow(
            FollowRequest(matchId: phone.matchID, deviceId: LifeCase.device, alerts: level), user: phone.user
        ).channel?.id
    }

    func change(_ phone: ListeningPhone, to level: AlertLevel) async throws {
        _ = try await follows.change(phone.matchID, user: phone.user, .init(alerts: level))
    }

    /// - Returns: the cards that the app is to end.
    func reconcile(_ phone: ListeningPhone, bootedAt: Moment?) async throws -> [ActivityID] {
        try await devices.register(
            DeviceRegistration(
                deviceId: LifeCase.device, broadcast: phone.listens, activities: phone.listed,
                bootedAt: bootedAt?.seconds), token: .keep, user: phone.user
        ).cards.end
    }

    /// - Returns: whether the card may stay.
    func report(_ card: ListeningPhone.Card, on phone: ListeningPhone) async throws -> Bool {
        guard let channel = card.channel else { return true }
        return try await ActivityReportStore(pool: pool).report(
            ActivityReport(
                activityId: card.activity, channelId: channel, deviceId: LifeCase.device, startId: card.start),
            match: phone.matchID, user: phone.user) == .active
    }

    func dismiss(_ card: ListeningPhone.Card, on phone: ListeningPhone) async throws {
        _ = try await tokens.dismiss(
            ActivityDismissedRequest(
                deviceId: LifeCase.device, activityId: card.activity, activityToken: card.token),
            match: phone.matchID, user: phone.user)
    }
}
