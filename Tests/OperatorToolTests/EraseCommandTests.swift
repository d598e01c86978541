import ArgumentParser
import FoundationEssentials
import Postgres
import ServiceKit
import SightscreenModels
import Store
import TestKit
import Testing
import Tokens

@testable import OperatorTool

/// Accounts that a restored database has again.
@Suite struct EraseCommandTests {
    @Test func theDeletionsOfALogAreFound() {
        let log = """
            2026-11-21T09:46:04.123Z warning api-gateway: Security event security.account=kN_3-a security.event=account-deleted
            2026-11-21T09:46:05.123Z warning api-gateway: Security event security.account=xx security.event=account-blocked
            {"time":"2026-11-21T09:46:06.123Z","level":"warning","message":"Security event","security.account":"b-7_","security.event":"account-deleted"}
            gateway-1  | {"level":"info","message":"account-deleted"}

            c0ffee
            """
        #expect(EraseCommand.hashes(in: log) == ["kN_3-a", "b-7_", "c0ffee"])
    }

    @Test func thoseAccountsAreErasedAndNoOther() async throws {
        let url = try await PrivatePostgres.shared.makeDatabase()
        let pool = try PostgresPool(url: url, applicationName: "tests")
        try await pool.execute(
            """
            INSERT INTO devices (user_id, device_id, route, shard, push_to_start_token)
            SELECT name, 'phone', 1, 1, 'token of ' || name FROM unnest(ARRAY['ann', 'ben', 'cat']) AS name
            """)
        try await pool.execute(
            "INSERT INTO match_follows (user_id, match_id) VALUES ('ann', 1), ('ben', 1), ('dev', 1)")
        let vault = TokenVault(try Settings.tokenKeys(at: TestTokenKeys.path))
        try await withTemporaryDirectory { folder in
            let file = folder.appending("log")
            let hashes = try ["ann", "dev", "somebody"].map { try #require(vault.pseudonym(of: UserID($0))) }
            try Data(hashes.joined(separator: "\n").utf8).write(to: URL(filePath: file))
            let command = try EraseCommand.parse([
                "--hashed", file, "--database-url", url, "--key-file", TestTokenKeys.path,
            ])
            for _ in 0..<2 { try await command.run() }
        }
        let left = try await pool.query(
            """
            SELECT (SELECT string_agg(user_id, ' ' ORDER BY user_id) FROM devices WHERE push_to_start_token IS NOT NULL)
                || ', ' || (SELECT string_agg(user_id, ' ') FROM match_follows)
                || ', ' || (SELECT string_agg(user_id, ' ' ORDER BY user_id) FROM deleted_users)
                || ', ' || (SELECT went_back_at > 'epoch' FROM database_history) AS left
            """)
        #expect(try left.map { try $0.string("left") } == ["ben cat, ben, ann dev, true"])
        await pool.close()
    }
}
