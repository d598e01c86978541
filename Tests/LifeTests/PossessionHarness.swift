import APIGateway
import Activities
import LACoordinator
import Postgres
import SightscreenModels
import Store
import Testing
import TestKit
import Tokens

/// A match in play, and the stores through which users register a phone's tokens.
struct PossessionHarness {
    static let match = MatchID(1)
    static let ann = UserID("ann"), bob = UserID("bob")
    static let phone = DeviceID("phone"), other = DeviceID("other")

    let pool: PostgresPool
    var vault: TokenVault
    let shards: [ShardLease]
    var activities: ActivityStore { ActivityStore(pool: pool, vault: vault) }
    var devices: DeviceStore { DeviceStore(pool: pool, vault: vault) }

    init(_ pool: PostgresPool, _ vault: TokenVault) async throws {
        self.pool = pool
        self.vault = vault
        shards = try await LeaseStore(pool: pool).acquire(
            (0..<64).map { .shard($0) }, holder: "test/1", duration: .seconds(600)
        ).compactMap { ShardLease($0) }
        try await pool.execute(
            """
            INSERT INTO active_matches (match_id, display_state, version, stamp, content_state, went_live_at)
            VALUES (1, 'live', 1, 100, '{}', clock_timestamp() - interval '1 hour')
            """)
    }

    /// Registers the phone's tokens and its card as Ann's.
    func registerAnn() async throws {
        #expect(try await register("dd", Self.ann) == nil)
        #expect(try await start("aa", Self.ann) == nil)
        try await follow(Self.ann)
        #expect(try await update("ee", Self.ann) == .activate(generation: 1))
    }

    /// - Returns: what the token waits for.
    func register(
        _ token: String, _ user: UserID, _ device: DeviceID = phone, host: APNsEnvironment? = nil
    ) async throws -> TokenWait? {
        try await devices.register(
            DeviceRegistration(deviceId: device, environment: host), token: .set(DeviceToken(token)), user: user
        ).waitsFor
    }

    func start(_ token: String, _ user: UserID, _ device: DeviceID = phone) async throws -> TokenWait? {
        try await devices.register(
            PushToStartRegistration(pushToStartToken: PushToStartToken(token), deviceId: device), user: user
        ).waitsFor
    }

    func update(
        _ token: String, _ user: UserID, _ device: DeviceID = phone
    ) async throws -> ActivityTokenRule.Action {
        try await ActivityTokenStore(pool: pool, vault: vault).register(
            ActivityTokenRequest(activityToken: UpdateToken(token), deviceId: device), match: Self.match, user: user
        ).action
    }

    func follow(_ user: UserID) async throws {
        _ = try await FollowStore(pool: pool).follow(FollowRequest(matchId: Self.match), user: user)
    }

    /// The silent pushes that leave now.
    func silentPushes() async throws -> [FallbackClaim] {
        try await activities.claimFallbacks(shards, limit: 100)
    }

    /// The nonces that leave now on behalf of claims, each with the device token to which it goes.
    func pushes() async throws -> [String: String] {
        var sent: [String: String] = [:]
        for claim in try await silentPushes() {
            guard case .confirm = claim.purpose else { continue }
            sent[try #require(claim.nonce).text] = claim.token.rawValue
        }
        return sent
    }

    /// The nonce of the one push that leaves now.
    func nonce() async throws -> String {
        let sent = try await pushes()
        #expect(sent.count == 1)
        return try #require(sent.keys.first)
    }

    /// - Returns: whether the user might echo it.
    func echo(_ nonce: String, _ user: UserID, _ device: DeviceID = phone) async throws -> Bool {
        try await devices.confirm(DeviceConfirmation(nonce: nonce, deviceId: device), user: user) != nil
    }

    /// How many claims wait for a push, by the host to which it goes.
    func waiting() async throws -> [String: Int] {
        let rows = try await pool.query(
            "SELECT environment, count(*) AS claims FROM phone_claims WHERE due_at IS NOT NULL GROUP BY environment")
        return try Dictionary(uniqueKeysWithValues: rows.map { (try $0.string("environment"), try $0.int("claims")) })
    }

    /// Lets time pass for claims and silent pushes.
    func later(_ interval: String) async throws {
        try await pool.execute(
            """
            UPDATE phone_claims SET claimed_at = claimed_at - $1::text::interval, due_at = due_at - $1::text::interval,
                sent_at = sent_at - $1::text::interval, refused_at = refused_at - $1::text::interval
            """, [.text(interval)])
        try await pool.execute(
            "UPDATE devices SET reconcile_sent_at = reconcile_sent_at - $1::text::interval", [.text(interval)])
    }

    /// A line for each phone: its user, its name, its device and start token; and one for each card.
    func state() async throws -> [String] {
        func words(_ row: PostgresRow, _ names: String...) throws -> [String] { try names.map { try row.string($0) } }
        func token(_ row: PostgresRow, _ column: String, as kind: TokenCipher.Kind) throws -> String? {
            try row.optionalString(column).map { try vault.decrypt($0, as: kind) ?? "damaged" }
        }
        let phones = try await pool.query("SELECT user_id, device_id, device_token, push_to_start_token FROM devices")
            .map { row in
                try words(row, "user_id", "device_id") + [
                    token(row, "device_token", as: .device) ?? "-",
                    token(row, "push_to_start_token", as: .start) ?? "-",
                ]
            }
        let cards = try await pool.query(
            "SELECT user_id, device_id, status, update_token, end_push FROM live_activities"
        )
        .map { row in
            try words(row, "user_id", "device_id") + ["card", row.string("status")]
                + [token(row, "update_token", as: .update)].compactMap { $0 } + words(row, "end_push")
        }
        return (phones + cards).map { $0.joined(separator: " ") }.sorted()
    }

    /// The user and the phone that have the device token "dd".
    func holder() async throws -> String? {
        try await state().first { $0.split(separator: " ").dropFirst(2).first == "dd" }.map {
            $0.split(separator: " ").prefix(2).joined(separator: " ")
        }
    }

    /// Runs a test with encrypted tokens.
    static func with(_ body: (PossessionHarness) async throws -> Void) async throws {
        try await withDatabase(size: 3) { (pool: PostgresPool) async throws in
            let vault = TokenVault(try TestTokenKeys.file())
            try await vault.check(pool)
            try await body(PossessionHarness(pool, vault))
        }
    }

    /// Runs a test with Ann's tokens in clear, encrypted, and encrypted anew after she has registered them.
    static func withAnn(_ body: (PossessionHarness) async throws -> Void) async throws {
        try await withDatabase(size: 3) { (pool: PostgresPool) async throws in
            let harness = try await PossessionHarness(pool, .inClear)
            try await harness.registerAnn()
            try await body(harness)
        }
        for changesKey in [false, true] {
            try await withDatabase(size: 3) { (pool: PostgresPool) async throws in
                let first = try TokenKeys.generate()
                let vault = TokenVault(try TestTokenKeys.file(first))
                try await vault.check(pool)
                var harness = try await PossessionHarness(pool, vault)
                try await harness.registerAnn()
                if changesKey {
                    let file = try TestTokenKeys.file("\(first)2 \(try TokenKeys.newKey())")
                    let encryption = TokenEncryption(pool: pool, cipher: file.cipher)
                    try await encryption.begin()
                    #expect(try await encryption.finish() == 3)
                    harness.vault = TokenVault(file)
                }
                try await body(harness)
                let clear = try await pool.query(
                    """
                    SELECT FROM devices WHERE device_token NOT LIKE '$%' OR push_to_start_token NOT LIKE '$%'
                    UNION ALL SELECT FROM live_activities WHERE update_token NOT LIKE '$%'
                    UNION ALL SELECT FROM phone_claims WHERE token_key NOT LIKE '$%'
                    """)
                #expect(clear.isEmpty)
            }
        }
    }
}
