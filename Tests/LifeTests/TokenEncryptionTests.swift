import APIGateway
import Activities
import LACoordinator
import Postgres
import SightscreenModels
import Synchronization
import TestKit
import Testing
import Tokens

@testable import Store

/// Tokens that are encrypted while processes read and write them. `PossessionTests` has what they are found by.
@Suite struct TokenEncryptionTests {
    private static let user = UserID("ann"), phone = DeviceID("phone"), match = MatchID(1)

    /// A key file that may change.
    private final class File: Sendable {
        private let lines: Mutex<[String]>
        private let reads = Mutex(0)

        init() throws { lines = Mutex(["lookup \(try TokenKeys.newKey())", "1 \(try TokenKeys.newKey())"]) }

        var timesRead: Int { reads.withLock { $0 } }

        func add(_ id: String) throws {
            let key = try TokenKeys.newKey()
            lines.withLock { $0.append("\(id) \(key)") }
        }

        func remove(_ id: String) { lines.withLock { $0.removeAll { $0.hasPrefix("\(id) ") } } }

        func read() throws -> TokenKeyFile {
            try TokenKeyFile {
                self.reads.withLock { $0 += 1 }
                return self.lines.withLock { $0.joined(separator: "\n") }
            }
        }
    }

    private func seed(_ pool: PostgresPool, _ vault: TokenVault) async throws {
        try await pool.execute(
            """
            INSERT INTO active_matches (match_id, display_state, version, stamp, content_state, went_live_at)
            VALUES (1, 'live', 1, 100, '{}', clock_timestamp() - interval '1 hour')
            """)
        let devices = DeviceStore(pool: pool, vault: vault)
        _ = try await devices.register(
            DeviceRegistration(deviceId: Self.phone), token: .set(DeviceToken("dd")), user: Self.user)
        _ = try await devices.register(
            PushToStartRegistration(pushToStartToken: PushToStartToken("aa"), deviceId: Self.phone), user: Self.user)
        _ = try await FollowStore(pool: pool).follow(FollowRequest(matchId: Self.match), user: Self.user)
        try await report("ee", pool, vault)
    }

    private func report(_ token: String, _ pool: PostgresPool, _ vault: TokenVault) async throws {
        _ = try await ActivityTokenStore(pool: pool, vault: vault).register(
            ActivityTokenRequest(activityToken: UpdateToken(token), deviceId: Self.phone), match: Self.match,
            user: Self.user)
    }

    /// As they are stored.
    private func stored(_ pool: PostgresPool) async throws -> [String] {
        try await pool.query(
            """
            SELECT d.device_token, d.push_to_start_token, a.update_token FROM devices d
            JOIN live_activities a USING (user_id, device_id) WHERE a.status = 'active'
            """
        ).flatMap { row in try ["device_token", "push_to_start_token", "update_token"].map { try row.string($0) } }
    }

    @Test func aKeyFileAloneWritesNothingOtherThanBefore() async throws {
        try await withDatabase(size: 3) { (pool: PostgresPool) async throws in
            try await seed(pool, TokenVault(try TestTokenKeys.file()))
            #expect(try await stored(pool) == ["dd", "aa", "ee"])
        }
    }

    @Test func fromWhenItIsSaidOnTokensAreWrittenEncrypted() async throws {
        try await withDatabase(size: 3) { (pool: PostgresPool) async throws in
            let file = try TestTokenKeys.file()
            let vault = TokenVault(file)
            try await seed(pool, vault)
            try await TokenEncryption(pool: pool, cipher: file.cipher).begin()
            try await report("e2", pool, vault)
            #expect(try await stored(pool).map(TokenCipher.key) == [nil, nil, "1"])
            #expect(try await stored(pool).map(vault.decrypt) == ["dd", "aa", "e2"])
            #expect(try await TokenEncryption(pool: pool, cipher: file.cipher).finish() == 2)
            #expect(try await stored(pool).map(TokenCipher.key) == ["1", "1", "1"])
            // The token of before is known as one that was replaced: a late report of it changes nothing.
            try await report("ee", pool, vault)
            #expect(try await stored(pool).map(vault.decrypt) == ["dd", "aa", "e2"])
            #expect(try await TokenEncryption(pool: pool, cipher: file.cipher).finish() == 0)
        }
    }

    @Test func aNewKeyIsReadWhenItIsMetAndTheOldOneMayGo() async throws {
        try await withDatabase(size: 3) { (pool: PostgresPool) async throws in
            let file = try File()
            try await TokenEncryption(pool: pool, cipher: try file.read().cipher).begin()
            let (vault, reader) = (TokenVault(try file.read()), TokenVault(try file.read()))
            try await seed(pool, vault)
            try file.add("2")
            try await TokenEncryption(pool: pool, cipher: try file.read().cipher).begin()
            let before = file.timesRead
            try await report("e2", pool, vault)
            try await report("e3", pool, vault)
            #expect(file.timesRead == before + 1)
            #expect(try await stored(pool).map(TokenCipher.key) == ["1", "1", "2"])
            #expect(try await stored(pool).map(reader.decrypt) == ["dd", "aa", "e3"])
            #expect(try await TokenEncryption(pool: pool, cipher: try file.read().cipher).finish() >= 2)
            file.remove("1")
            #expect(try await stored(pool).map(TokenVault(try file.read()).decrypt) == ["dd", "aa", "e3"])
        }
    }

    @Test func aProcessWithoutTheKeysSaysSo() async throws {
        try await withDatabase(size: 3) { (pool: PostgresPool) async throws in
            let file = try TestTokenKeys.file()
            try await TokenVault(try TestTokenKeys.file()).check(pool)
            try await TokenVault.inClear.check(pool)
            try await TokenEncryption(pool: pool, cipher: file.cipher).begin()
            try await TokenVault(file).check(pool)
            await #expect(throws: TokenVault.KeyMissing.self) { try await TokenVault.inClear.check(pool) }
            // The same id, and another file.
            await #expect(throws: TokenVault.KeyMissing.self) {
                try await TokenVault(try TestTokenKeys.file()).check(pool)
            }
            await #expect(throws: TokenEncryption.Failure.self) {
                try await TokenEncryption(pool: pool, cipher: try TestTokenKeys.file().cipher).begin()
            }
            await #expect(throws: TokenVault.KeyMissing.self) { try await seed(pool, .inClear) }
            #expect(try await pool.query("SELECT FROM devices").isEmpty)
        }
    }

    /// The file that a rotation is run with is an old copy: the key before does not come back.
    @Test func anOldCopyOfTheFileTakesNoKeyBack() async throws {
        try await withDatabase(size: 3) { (pool: PostgresPool) async throws in
            let file = try File()
            let old = try file.read().cipher
            try await TokenEncryption(pool: pool, cipher: old).begin()
            try file.add("2")
            try await TokenEncryption(pool: pool, cipher: try file.read().cipher).begin()
            await #expect(throws: TokenEncryption.Failure.self) {
                try await TokenEncryption(pool: pool, cipher: old).begin()
            }
            #expect(try await TokenEncryption(pool: pool, cipher: try file.read().cipher).writingKey() == "2")
        }
    }

    @Test func aDamagedTokenIsLeftOutAndTheOthersAreNot() async throws {
        try await withDatabase(size: 3) { (pool: PostgresPool) async throws in
            let file = try TestTokenKeys.file()
            let vault = TokenVault(file)
            try await TokenEncryption(pool: pool, cipher: file.cipher).begin()
            try await seed(pool, vault)
            try await pool.execute(
                """
                INSERT INTO live_activities (match_id, user_id, device_id, generation, route, shard, status, update_token,
                    token_at, activated_at)
                SELECT match_id, 'ben', device_id, generation, route, shard, status, overlay(update_token placing 'x' from 5),
                    token_at, activated_at FROM live_activities
                """)
            var records: [ActivityRecord] = []
            try await ActivityStore(pool: pool, vault: vault).roster(shards: Array(0..<64)) { records += $0 }
            #expect(Set(records.map(\.updateToken)) == [UpdateToken("ee"), nil])
        }
    }

    /// Asked for while the device's token was in clear, and again when it is encrypted: it is one claim.
    @Test func aClaimIsOneInEitherForm() async throws {
        try await withDatabase(size: 3) { (pool: PostgresPool) async throws in
            let file = try TestTokenKeys.file()
            let vault = TokenVault(file)
            try await seed(pool, vault)
            let devices = DeviceStore(pool: pool, vault: vault)
            func claim(_ user: String) async throws -> TokenWait? {
                try await devices.register(
                    DeviceRegistration(deviceId: Self.phone), token: .set(DeviceToken("dd")), user: UserID(user)
                ).waitsFor
            }
            #expect(try await claim("bob") == .confirmation)
            let encryption = TokenEncryption(pool: pool, cipher: file.cipher)
            try await encryption.begin()
            #expect(try await claim("carl") == .owner)
            #expect(try await encryption.finish() == 3)
            #expect(try await claim("carl") == .owner)
            let claims = try await pool.query("SELECT device_token FROM device_claims")
            #expect(try claims.map { try vault.decrypt(try $0.string("device_token")) } == ["dd"])
        }
    }

    @Test func theProviderTokenIsEncryptedToo() async throws {
        try await withDatabase(size: 3) { (pool: PostgresPool) async throws in
            let file = try TestTokenKeys.file()
            let vault = TokenVault(file)
            try await TokenEncryption(pool: pool, cipher: file.cipher).begin()
            let store = ProviderTokenStore(pool: pool, vault: vault)
            func token(_ isGood: Bool) async throws -> ProviderTokenStore.StoredToken {
                try await store.token(
                    keyID: "KEYID00001", teamID: "TEAMID0001", isGood: { _ in isGood }, mint: { "a.\($0).c" })
            }
            let first = try await token(false)
            #expect(try await token(true).token == first.token)
            let second = try await token(false)
            try await store.freeze(keyID: "KEYID00001", newest: second.token)
            #expect(try await token(true).token == first.token)
            let rows = try await pool.query("SELECT token, previous_token FROM apns_provider_tokens")
            #expect(try rows.map { TokenCipher.key(of: try $0.string("token")) } == ["1"])
            #expect(try rows.map { TokenCipher.key(of: try $0.string("previous_token")) } == ["1"])
        }
    }

    /// Many rows, and apps that register beside it.
    @Test func everyTokenIsBroughtUnderTheNewKeyBesideThoseWhoWrite() async throws {
        try await withDatabase(size: 6) { (pool: PostgresPool) async throws in
            let file = try TestTokenKeys.file()
            let vault = TokenVault(file)
            try await seed(pool, vault)
            try await pool.execute(
                """
                INSERT INTO devices (user_id, device_id, route, shard, device_token, push_to_start_token)
                SELECT 'u' || n, 'phone', n, n % 64, md5('d' || n), md5('s' || n) FROM generate_series(1, 2500) AS n;
                """)
            try await pool.execute(
                """
                INSERT INTO live_activities (match_id, user_id, device_id, generation, route, shard, status, update_token,
                    token_at, activated_at)
                SELECT 1, user_id, device_id, 1, route, shard, 'active', md5('a' || user_id), clock_timestamp(),
                    clock_timestamp() FROM devices WHERE user_id <> 'ann'
                """)
            let encryption = TokenEncryption(pool: pool, cipher: file.cipher)
            let writing = Task {
                for round in 0..<40 {
                    try await report("f\(round)", pool, vault)
                    _ = try await DeviceStore(pool: pool, vault: vault).register(
                        DeviceRegistration(deviceId: Self.phone), token: .set(DeviceToken("d\(round)")),
                        user: Self.user)
                }
            }
            try await encryption.begin()
            #expect(try await encryption.finish() >= 7_500)
            try await writing.value
            let left = try await pool.query(
                """
                SELECT FROM devices WHERE device_token NOT LIKE '$%' OR push_to_start_token NOT LIKE '$%'
                UNION ALL SELECT FROM live_activities WHERE update_token NOT LIKE '$%'
                """)
            #expect(left.isEmpty)
            #expect(
                try await pool.query("SELECT user_id, update_token FROM live_activities WHERE user_id = 'u77'").map {
                    try vault.decrypt(try $0.string("update_token"))
                } == ["be68e3bc7be6577c04b48ad354e80c3e"])
            #expect(try await stored(pool).map(vault.decrypt).contains("f39"))
        }
    }
}
