package import Postgres
package import Tokens

/// Encrypts all stored tokens with the newest key of a key file, while all services run: `sightscreen secrets rotate`.
package struct TokenEncryption: Sendable {
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    /// A column of tokens, and the primary key in whose order its rows are visited.
    private struct Column: Sendable {
        var table: String
        var name: String
        var kind: TokenCipher.Kind
        /// The primary key, with the types of its columns.
        var key: [(name: String, type: String)]
        /// Further assignments that go with a change of the token.
        var also = ""

        static let all: [Column] = [
            Column(
                table: "devices", name: "device_token", kind: .device,
                key: [("user_id", "text"), ("device_id", "text")]),
            // A token that is encrypted anew is still the same, so pushes that it had in place of a start are not
            // repeated.
            Column(
                table: "devices", name: "push_to_start_token", kind: .start,
                key: [("user_id", "text"), ("device_id", "text")],
                also: """
                    , fallback_token_hash = CASE WHEN t.fallback_token_hash = \(StartFallbackSQL.hash("token_key(t.push_to_start_token)"))
                        THEN \(StartFallbackSQL.hash("token_key(v.new)")) ELSE t.fallback_token_hash END
                    """),
            Column(
                table: "live_activities", name: "update_token", kind: .update,
                key: [("user_id", "text"), ("device_id", "text"), ("match_id", "bigint"), ("generation", "int")]),
            Column(table: "apns_provider_tokens", name: "token", kind: .provider, key: [("key_id", "text")]),
            Column(table: "apns_provider_tokens", name: "previous_token", kind: .provider, key: [("key_id", "text")]),
        ]
    }

    /// The rows in one transaction, which holds their locks until it ends.
    private static let sliceMax = 1_000
    /// The longest time to wait for transactions from before the change.
    private static let oldTransactionsMax = Duration.seconds(60)
    private static let triesMax = 5

    private let pool: PostgresPool
    private let cipher: TokenCipher

    package init(pool: PostgresPool, cipher: TokenCipher) {
        self.pool = pool
        self.cipher = cipher
    }

    /// Returns the id of the key that encrypts new tokens; nil if they are written in clear.
    /// - Throws: `TokenKeyFile.Mismatch` if the file does not have that key.
    package func writingKey() async throws -> String? { try await knownSample().flatMap { TokenCipher.key(of: $0) } }

    /// Returns the stored sample.
    /// - Throws: `TokenKeyFile.Mismatch` if it was not made with this file.
    private func knownSample() async throws -> String? {
        let sample = try await pool.query(TokenVault.state).first?.optionalString("sample")
        if let sample, !cipher.made(sample) {
            throw TokenKeyFile.Mismatch(
                "the push tokens in the database are encrypted by a key \(TokenCipher.key(of: sample) ?? "?") that the"
                    + " file does not have: it is another file, or an old copy")
        }
        return sample
    }

    /// Makes the file's newest key the one that encrypts. Processes learn of it with the next token that they write.
    /// - Throws: `TokenKeyFile.Mismatch` if the file does not belong to these tables, or is an old copy; `Failure` while a
    ///   process that runs cannot read the key: every push to a token under it would be lost.
    package func begin() async throws {
        let sample = try await knownSample()
        if let sample, TokenCipher.key(of: sample) == cipher.newestKey { return }
        try await pool.transaction { transaction in
            // A process writes its row before it asks which key is in use. With this lock it is either seen here, or it
            // sees the key of here.
            try await transaction.execute("LOCK TABLE processes IN SHARE MODE")
            let without = try await transaction.query(
                """
                SELECT service || ' ' || instance || ' on ' || host AS name FROM processes
                WHERE expires_at > clock_timestamp() AND NOT $1 = ANY (token_keys) ORDER BY 1
                """, [.text(try cipher.newestFingerprint)]
            ).map { try $0.string("name") }
            guard without.isEmpty else {
                throw Failure(
                    description:
                        "the key \(cipher.newestKey) cannot be read by \(without.joined(separator: ", ")): give them the file"
                        + " that has it, restart those that got it at their start, and run this once more; a process that"
                        + " died is forgotten after 30 s")
            }
            try await write(sample, transaction)
        }
    }

    /// Makes the file's newest key the one that encrypts.
    /// - Parameter former: the sample that is in place.
    private func write(_ former: String?, _ transaction: PostgresTransaction) async throws {
        let begun = try await transaction.query(
            """
            UPDATE token_encryption SET sample = $1, former_keys = array_remove(former_keys || $3::text, NULL)
            WHERE sample IS NOT DISTINCT FROM $2 RETURNING 1
            """,
            [.text(try cipher.sample()), PostgresValue(former), PostgresValue(former.flatMap(TokenCipher.key))])
        guard !begun.isEmpty else { throw Failure(description: "another one changes the key; run this once more") }
    }

    /// Begins a database that holds no tokens yet with the file's newest key.
    /// - Returns: whether tokens are encrypted now; false for a database whose tokens are in clear.
    /// - Throws: `TokenKeyFile.Mismatch` if another file was first.
    package func beginIfEmpty() async throws -> Bool {
        if try await writingKey() != nil { return true }
        let isEmpty = try await pool.query(
            """
            SELECT NOT EXISTS (SELECT FROM devices) AND NOT EXISTS (SELECT FROM live_activities)
                AND NOT EXISTS (SELECT FROM apns_provider_tokens) AS is_empty
            """
        ).first?.bool("is_empty")
        guard isEmpty == true else { return false }
        // Of several processes that start together one is first, and the others look at what it wrote.
        do { try await pool.transaction { try await write(nil, $0) } } catch is Failure {}
        return try await writingKey() != nil
    }

    /// Waits for transactions that may still write with the former key, and encrypts all tokens with the newest key.
    /// - Parameter onProgress: gets the column and the number of its tokens that were changed.
    /// - Returns: the number of all tokens that were changed.
    package func finish(onProgress: (String, Int) -> Void = { _, _ in }) async throws -> Int {
        try await waitForOldTransactions()
        var changed = 0
        for column in Column.all {
            var count = 0
            var last: [String]?
            repeat {
                let (slice, next) = try await retrying { try await convert(column, after: last) }
                last = next
                count += slice
                if slice > 0 { onProgress("\(column.table).\(column.name)", count) }
            } while last != nil
            changed += count
        }
        for column in Column.all {
            let left = try await left(column)
            guard left == 0 else {
                throw Failure(description: "\(left) of \(column.table).\(column.name) are left; run this once more")
            }
        }
        try await pool.execute(
            "UPDATE token_encryption SET former_keys = '{}' WHERE split_part(sample, '$', 3) = $1",
            [.text(cipher.newestKey)])
        // The planner's statistics hold tokens as they were stored before, so they are made anew.
        for table in Set(Column.all.map(\.table)) {
            try await pool.execute("ANALYZE \(table)", deadline: .seconds(60))
        }
        return changed
    }

    /// Retries a slice, which may lose against transactions that lock the same rows in another order.
    private func retrying<T>(_ body: () async throws -> T) async throws -> T {
        for _ in 0..<Self.triesMax {
            do { return try await body() } catch let error as PostgresError where error.code == .serialization {
                try await Task.sleep(for: .milliseconds(Int.random(in: 20...200)))
            }
        }
        return try await body()
    }

    private func left(_ column: Column) async throws -> Int {
        try await pool.query(
            """
            SELECT count(*) AS rest FROM \(column.table) t
            WHERE t.\(column.name) IS NOT NULL AND split_part(t.\(column.name), '$', 3) <> $1
            """, [.text(cipher.newestKey)], deadline: .seconds(60)
        ).first?.int("rest") ?? 0
    }

    private func waitForOldTransactions() async throws {
        let deadline = ContinuousClock.now + Self.oldTransactionsMax
        let now = try await pool.query("SELECT extract(epoch FROM clock_timestamp())::double precision AS now")
        guard let boundary = try now.first?.double("now") else { throw PostgresError(.decoding, "no clock") }
        while true {
            // `state` is null for sessions of other roles, whose transactions are hidden.
            let old = try await pool.query(
                """
                SELECT 1 FROM pg_stat_activity a
                WHERE a.datname = current_database() AND a.pid <> pg_backend_pid() AND a.backend_type = 'client backend'
                    AND (a.state IS NULL OR a.xact_start <= to_timestamp($1::double precision)
                        AND a.application_name ~ '^(api-gateway|la-coordinator)')
                LIMIT 1
                """, [.double(boundary)])
            if old.isEmpty { return }
            guard .now < deadline else {
                throw Failure(
                    description:
                        "a transaction from before the change still goes on, or is hidden from this role; run this"
                        + " once more, as the services' role")
            }
            try await Task.sleep(for: .milliseconds(50))
        }
    }

    /// Encrypts one slice of a column.
    /// - Parameter last: the key of the last row that was read.
    /// - Returns: the number of tokens that were changed, and the key after which to continue; nil at the end.
    private func convert(_ column: Column, after last: [String]?) async throws -> (Int, [String]?) {
        let names = column.key.map { "t.\($0.name)" }.joined(separator: ", ")
        let texts = column.key.enumerated().map { "t.\($1.name)::text AS key\($0)" }.joined(separator: ", ")
        let from = column.key.enumerated().map { "$\($0 + 2)::\($1.type)" }.joined(separator: ", ")
        return try await pool.transaction { transaction in
            let rows = try await transaction.query(
                """
                SELECT \(texts), t.ctid::text AS address, t.\(column.name) AS token FROM \(column.table) t
                WHERE t.\(column.name) IS NOT NULL\(last == nil ? "" : " AND (\(names)) > (\(from))")
                ORDER BY \(names) LIMIT $1 FOR UPDATE
                """, [.int(Self.sliceMax)] + (last ?? []).map { .text($0) })
            let old = try rows.map { (address: try $0.string("address"), token: try $0.string("token")) }
                .filter { TokenCipher.key(of: $0.token) != cipher.newestKey }
            let new = try old.map { row in
                do {
                    let token = try cipher.decrypt(row.token, as: column.kind)
                    return try cipher.encrypt(token, as: column.kind, by: cipher.newestKey)
                } catch TokenCipher.Failure.damaged {
                    throw Failure(
                        description:
                            "the token in \(column.table).\(column.name) of the row with ctid \(row.address) is damaged:"
                            + " delete the row (its app sends the token again), and run this once more")
                }
            }
            if !old.isEmpty {
                try await transaction.execute(
                    """
                    UPDATE \(column.table) t SET \(column.name) = v.new\(column.also)
                    FROM unnest($1::text[], $2::text[]) AS v (address, new)
                    -- The row is locked since it was read, so it is still at its place.
                    WHERE t.ctid = v.address::tid
                    """, [.textArray(old.map(\.address)), .textArray(new)])
            }
            guard rows.count == Self.sliceMax, let end = rows.last else { return (old.count, nil) }
            return (old.count, try column.key.indices.map { try end.string("key\($0)") })
        }
    }
}
