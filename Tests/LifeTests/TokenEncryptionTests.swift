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

        var text: String { lines.withLock { $0.joined(separator: "\n") } }

        func add(_ id: String) throws {
            let key = try TokenKeys.newKey()
            lines.withLock { $0.append("\(id) \(key)") }
        }

        func remove(_ id: String) { lines.withLock { $0.removeAll { $0.hasPrefix("\(id) ") } } }

        func read() throws -> TokenKeyFile {
            try TokenKeyFile {
                self.reads.withLock { $0 += 1 }
                return self.text
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

    private func clear(_ pool: PostgresPool, _ vault: TokenVault) async throws -> [String?] {
        let kinds: [TokenCipher.Kind] = [.device, .start, .update]
        return try await stored(pool).enumerated().map { try vault.decrypt($1, as: kinds[$0 % kinds.count]) }
    }

    @Test func anEmptyDatabaseBeginsEncryptedAndOneInClearIsRefused() async throws {
        try await withDatabase(size: 3) { (pool: PostgresPool) async throws in
            let vault = TokenVault(try TestTokenKeys.file())
            try await vault.check(pool)
            try await seed(pool, vault)
            #expect(try await stored(pool).map(TokenCipher.key) == ["1", "1", "1"])
            #expect(try await clear(pool, vault) == ["dd", "aa", "ee"])
        }
        try await withDatabase(size: 3) { (pool: PostgresPool) async throws in
            try await seed(pool, .inClear)
            let file = try TestTokenKeys.file()
            await #expect(throws: TokenKeyFile.Mismatch.self) { try await TokenVault(file).check(pool) }
            // As the laboratories do, which make a million rows by one statement.
            let encryption = TokenEncryption(pool: pool, cipher: file.cipher)
            try await encryption.begin()
            #expect(try await encryption.finish() == 3)
            #expect(try await clear(pool, TokenVault(file)) == ["dd", "aa", "ee"])
            #expect(try await encryption.finish() == 0)
        }
    }

    @Test func ofTwoFilesThatBeginOneDatabaseOneIsRefused() async throws {
        try await withDatabase(size: 6) { (pool: PostgresPool) async throws in
            let outcomes = try await withThrowingTaskGroup(of: Bool.self) { group in
                for _ in 0..<4 {
                    let vault = TokenVault(try TestTokenKeys.file())
                    group.addTask {
                        do { try await vault.check(pool) } catch is TokenKeyFile.Mismatch { return false }
                        return true
                    }
                }
                return try await group.reduce(into: [Bool]()) { $0.append($1) }
            }
            #expect(outcomes.filter { $0 }.count == 1)
        }
    }

    /// A row of `processes`, as `Presence` writes it.
    private func join(_ instance: String, _ vault: TokenVault?, _ pool: PostgresPool, lasts: String = "30 s")
        async throws
    {
        try await pool.execute(
            """
            INSERT INTO processes (service, host, instance, version, started_at, expires_at, secrets, token_keys, calls)
            VALUES ('api-gateway', 'here', $1, '1', clock_timestamp(), clock_timestamp() + $2::interval, '{}', $3::text[], '{}')
            ON CONFLICT (service, host, instance) DO UPDATE SET token_keys = excluded.token_keys
            """, [.text(instance), .text(lasts), vault.map { .textArray($0.fingerprints()) } ?? .null])
    }

    @Test func aKeyThatAProcessCannotReadDoesNotBegin() async throws {
        try await withDatabase(size: 3) { (pool: PostgresPool) async throws in
            let file = try File()
            let (vault, behind) = (TokenVault(try file.read()), TokenVault(try TestTokenKeys.file(file.text)))
            try await vault.check(pool)
            try await join("a", vault, pool)
            try await join("b", behind, pool)
            try await join("bus", nil, pool)
            try await join("dead", behind, pool, lasts: "-1 s")
            try file.add("2")
            let encryption = TokenEncryption(pool: pool, cipher: try file.read().cipher)
            try await join("a", vault, pool)
            let refusal = await #expect(throws: TokenEncryption.Failure.self) { try await encryption.begin() }
            #expect(refusal?.description.contains("the key 2 cannot be read by api-gateway b on here:") == true)
            #expect(try await encryption.writingKey() == "1")
            try await join("b", vault, pool)
            try await encryption.begin()
            #expect(try await encryption.writingKey() == "2")
            // What cannot read a key that is in use says so, and of the key before until no token is under it.
            #expect(try await vault.trouble(pool) == nil)
            #expect(try await behind.trouble(pool)?.contains("the key 2, which TOKEN_KEY_FILE does not have") == true)
            file.remove("1")
            let early = TokenVault(try file.read())
            #expect(try await early.trouble(pool)?.contains("the key 1, which TOKEN_KEY_FILE does not have") == true)
            _ = try await encryption.finish()
            #expect(try await early.trouble(pool) == nil)
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
            #expect(try await clear(pool, reader) == ["dd", "aa", "e3"])
            #expect(try await TokenEncryption(pool: pool, cipher: try file.read().cipher).finish() >= 2)
            file.remove("1")
            #expect(try await clear(pool, TokenVault(try file.read())) == ["dd", "aa", "e3"])
        }
    }

    @Test func aProcessWithoutTheKeysSaysSo() async throws {
        try await withDatabase(size: 3) { (pool: PostgresPool) async throws in
            try await TokenVault.inClear.check(pool)
            let file = try TestTokenKeys.file()
            try await TokenVault(file).check(pool)
            // Without a file, and with the same id in another file.
            for vault in [.inClear, TokenVault(try TestTokenKeys.file())] {
                await #expect(throws: TokenKeyFile.Mismatch.self) { try await vault.check(pool) }
                await #expect(throws: TokenKeyFile.Mismatch.self) { try await report("e1", pool, vault) }
            }
            await #expect(throws: TokenKeyFile.Mismatch.self) {
                try await TokenEncryption(pool: pool, cipher: try TestTokenKeys.file().cipher).begin()
            }
            await #expect(throws: TokenKeyFile.Mismatch.self) { try await seed(pool, .inClear) }
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
            await #expect(throws: TokenKeyFile.Mismatch.self) {
                try await TokenEncryption(pool: pool, cipher: old).begin()
            }
            #expect(try await TokenEncryption(pool: pool, cipher: try file.read().cipher).writingKey() == "2")
        }
    }

    @Test func aDamagedTokenIsLeftOutAndTheOthersAreNot() async throws {
        try await withDatabase(size: 3) { (pool: PostgresPool) async throws in
            let keys = try File()
            let file = try keys.read()
            let vault = TokenVault(file)
            try await TokenEncryption(pool: pool, cipher: file.cipher).begin()
            try await seed(pool, vault)
            try await pool.execute(
                """
                INSERT INTO live_activities (match_id, user_id, device_id, generation, route, shard, status, update_token,
                    token_at, activated_at)
                SELECT match_id, 'ben', device_id, generation, route, shard, status,
                    overlay(update_token placing CASE substr(update_token, 5, 1) WHEN 'x' THEN 'y' ELSE 'x' END from 5),
                    token_at, activated_at FROM live_activities
                """)
            var records: [ActivityRecord] = []
            try await ActivityStore(pool: pool, vault: vault).roster(shards: Array(0..<64)) { records += $0 }
            #expect(Set(records.map(\.updateToken)) == [UpdateToken("ee"), nil])
            // A new key cannot go round it, and says where it is.
            try keys.add("2")
            let encryption = TokenEncryption(pool: pool, cipher: try keys.read().cipher)
            try await encryption.begin()
            let failure = await #expect(throws: TokenEncryption.Failure.self) { try await encryption.finish() }
            let ctid = try await pool.query("SELECT ctid::text AS at FROM live_activities WHERE user_id = 'ben'")
            let place = try "live_activities.update_token of the row with ctid \(#require(ctid.first).string("at")) "
            #expect(failure?.description.contains(place) == true, "\(String(describing: failure))")
        }
    }

    /// Who may write to the database has the coordinator push to none of a phone's tokens as another kind.
    @Test func aTokenThatWasCopiedToAColumnOfAnotherKindIsLeftOut() async throws {
        try await withDatabase(size: 3) { (pool: PostgresPool) async throws in
            let vault = TokenVault(try TestTokenKeys.file())
            try await vault.check(pool)
            try await seed(pool, vault)
            try await pool.execute("UPDATE live_activities SET update_token = (SELECT device_token FROM devices)")
            var records: [ActivityRecord] = []
            try await ActivityStore(pool: pool, vault: vault).roster(shards: Array(0..<64)) { records += $0 }
            #expect(records.map(\.updateToken) == [nil])
        }
    }

    @Test func theProviderTokenIsEncryptedToo() async throws {
        try await withDatabase(size: 3) { (pool: PostgresPool) async throws in
            let keys = try File()
            let vault = TokenVault(try keys.read())
            try await vault.check(pool)
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
            try keys.add("2")
            let encryption = TokenEncryption(pool: pool, cipher: try keys.read().cipher)
            try await encryption.begin()
            #expect(try await encryption.finish() == 2)
            #expect(try await token(true).token == first.token)
            try await pool.execute("UPDATE apns_provider_tokens SET frozen_until = NULL")
            #expect(try await token(true).token == second.token)
        }
    }

    /// Many rows, and apps that register beside it.
    @Test func everyTokenIsBroughtUnderTheNewKeyBesideThoseWhoWrite() async throws {
        try await withDatabase(size: 6) { (pool: PostgresPool) async throws in
            let keys = try File()
            let vault = TokenVault(try keys.read())
            try await vault.check(pool)
            try await seed(pool, vault)
            try keys.add("2")
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
            let encryption = TokenEncryption(pool: pool, cipher: try keys.read().cipher)
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
                SELECT FROM devices WHERE device_token NOT LIKE '$%$2$%' OR push_to_start_token NOT LIKE '$%$2$%'
                UNION ALL SELECT FROM live_activities WHERE update_token NOT LIKE '$%$2$%'
                """)
            #expect(left.isEmpty)
            #expect(
                try await pool.query("SELECT user_id, update_token FROM live_activities WHERE user_id = 'u77'").map {
                    try vault.decrypt(try $0.string("update_token"), as: .update)
                } == ["be68e3bc7be6577c04b48ad354e80c3e"])
            #expect(try await clear(pool, vault).contains("f39"))
        }
    }
}
