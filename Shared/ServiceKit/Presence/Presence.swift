import FoundationEssentials
import Glibc
import Logging
public import Postgres

/// Keeps this process's row in `processes`: that it runs, what it runs with, and how its last calls went. The row
/// expires by itself soon after the process has died. A write that fails is tried again later and stops nothing. A
/// database that went back (`DatabaseHistory`) ends the process.
///
/// It also looks at what every process needs of PostgreSQL, and reports it as readiness: an answer, sessions that can
/// write, keys by which the stored tokens can be read, the same time.
public actor Presence {
    /// The time between two writes, and between two looks at the sessions and at the key file, which may be replaced while
    /// the process runs.
    static let interval = Duration.seconds(2)
    /// The time after which a row that is not renewed counts no more.
    static let lifetime = Duration.seconds(30)
    /// Writes that may fail at the start before the process goes on without a row.
    private static let firstTries = 3

    /// How a process that reads push tokens looks at its keys.
    public struct TokenKeys: Sendable {
        /// Reads the key file again and returns the keys' fingerprints.
        var fingerprints: @Sendable () -> [String]
        /// Returns why stored tokens cannot be read; nil if they can.
        var trouble: @Sendable () async throws -> String?

        public init(
            fingerprints: @escaping @Sendable () -> [String], trouble: @escaping @Sendable () async throws -> String?
        ) {
            self.fingerprints = fingerprints
            self.trouble = trouble
        }
    }

    private let pool: PostgresPool
    private let service: String
    private let instance: String
    private let host: String
    private let context: ServiceContext
    private let keys: TokenKeys?

    private var hashes: String?
    private var fingerprints: [String] = []
    private var clockOffsetMs: Int?
    private var isReachable = true
    /// Why the last write got no answer; nil if it got one.
    private var silence: String?
    /// What is known to be written; nil before the first write.
    private var written: DatabaseHistory.Row?

    /// - Parameter keys: nil for a process that reads no push tokens.
    public init(
        pool: PostgresPool, service: String, instance: String, context: ServiceContext, keys: TokenKeys? = nil
    ) {
        self.pool = pool
        self.service = service
        self.instance = instance
        self.context = context
        self.keys = keys
        host = Self.hostName
    }

    /// Writes the row for the first time, and deletes it again if `check` throws.
    /// - Parameter check: asks by which key tokens are written. The row must be there before: `sightscreen secrets rotate`
    ///   knows from it whether the process can read the next one. It is asked again while the database does not answer.
    public func begin(check: () async throws -> Void = {}) async throws {
        fingerprints = keys?.fingerprints() ?? []
        for _ in 0..<Self.firstTries {
            await write()
            if isReachable || Task.isCancelled { break }
            try? await Task.sleep(for: .milliseconds(200))
        }
        // A restored database is not written to with what was known of the one before.
        await pool.checkConnections { [weak self] in try await self?.check($0) }
        do { try await checkWhenReached(check) } catch {
            await delete()
            throw error
        }
    }

    private func checkWhenReached(_ check: () async throws -> Void) async throws {
        var said = false
        while true {
            do { return try await check() } catch let error as PostgresError {
                if !said {
                    context.logger.warning(
                        "Waiting for PostgreSQL (DATABASE_URL)", metadata: ["reason": "\(error.message)"])
                }
                said = true
                try await Task.sleep(for: .milliseconds(200))
            }
        }
    }

    /// Renews the row until the task is cancelled, and deletes it.
    public func run() async {
        await withTaskGroup { group in
            // Beside the statements, which wait for a session while PostgreSQL gives none.
            group.addTask { await Self.repeated { await self.checkSessions() } }
            group.addTask { await Self.repeated { await self.renew() } }
        }
        await delete()
    }

    private static func repeated(_ step: () async -> Void) async {
        repeat { await step() } while (try? await Task.sleep(for: interval)) != nil
    }

    private func renew() async {
        await checkKeys()
        fingerprints = keys?.fingerprints() ?? []
        await write()
        report(
            "database", silence.map { _ in "PostgreSQL does not answer" }, details: silence,
            begins: "PostgreSQL does not answer", ends: "PostgreSQL answers again")
    }

    private func delete() async {
        // The task of its own is not cancelled.
        await Task { [pool, key, written] in
            _ = try? await pool.execute(
                """
                DELETE FROM processes
                WHERE service = $1 AND host = $2 AND instance = $3 AND started_at::text = $4
                """, key + [PostgresValue(written?.startedAt)], deadline: .seconds(1))
        }.value
    }

    private func checkKeys() async {
        guard let keys else { return }
        // A database that does not answer is another condition.
        let trouble: String?
        do { trouble = try await keys.trouble() } catch { return }
        report("token-keys", trouble, begins: "Push tokens cannot be read", ends: "Push tokens can be read again")
    }

    private func checkSessions() async {
        let refusal = await pool.refusal
        report(
            "database-sessions", refusal?.rule?.notReady, details: refusal?.message,
            begins: "PostgreSQL gives no session that can work", ends: "PostgreSQL gives sessions that can work again")
    }

    private func checkClock(_ offset: Double) {
        let seconds = Int(offset.magnitude.rounded())
        let isWrong = offset.magnitude > ProcessClock.offsetMax
        report(
            "clock", isWrong ? "the clock is \(seconds) s \(offset > 0 ? "ahead of" : "behind") PostgreSQL's" : nil,
            begins: "This machine's clock is not PostgreSQL's", ends: "This machine's clock is PostgreSQL's again")
    }

    /// Sets a condition of the readiness, and logs when it begins to be missing and when it is there again.
    /// - Parameter trouble: the reason why it is missing; nil if it is not.
    private func report(
        _ condition: String, _ trouble: String?, details: String? = nil, begins: Logger.Message, ends: Logger.Message
    ) {
        let isNew = context.readiness.missing.contains { $0.name == condition } == (trouble == nil)
        context.readiness.set(condition, trouble == nil, reason: trouble)
        guard isNew else { return }
        if let trouble {
            context.logger.error(begins, metadata: ["reason": "\(details ?? trouble)"])
        } else {
            context.logger.notice(ends)
        }
    }

    /// What the process is found by in `processes`.
    private var key: [PostgresValue] { [.text(service), .text(host), .text(instance)] }

    /// Ends the process if the database has gone back.
    /// - Throws: `DatabaseHistory.WentBack`, `PostgresError`.
    private func check(_ transaction: PostgresTransaction) async throws {
        try await check { try await transaction.query($0, $1) }
    }

    private func check(_ query: (String, [PostgresValue]) async throws -> [PostgresRow]) async throws {
        guard let written else { return }
        guard let row = try await query(DatabaseHistory.check, key + written.parameters).first else {
            throw PostgresError(.decoding, "no history")
        }
        guard try row.bool("went_back") else { return }
        let wentBack = DatabaseHistory.WentBack(isFirst: try row.bool("is_first"))
        context.logger.error(
            "The database went back: this process ends, to be started again",
            metadata: ["reason": "\(wentBack)", "written": "\(written.expiresAt)"])
        context.restart()
        throw wentBack
    }

    func write() async {
        do {
            try await check { [pool] in try await pool.query($0, $1) }
            let hashes = try await secretHashes()
            let calls = try JSONEncoder().encode(context.calls.all)
            let asked = ContinuousClock.now
            let rows = try await pool.query(
                """
                WITH expired AS (
                    SELECT p.service, p.host, p.instance FROM processes p
                    WHERE p.expires_at <= clock_timestamp() - \(DatabaseHistory.kept) AND (p.service, p.host, p.instance) <> ($1, $2, $3)
                    FOR UPDATE SKIP LOCKED
                ), gone AS (
                    DELETE FROM processes p USING expired e
                    WHERE (p.service, p.host, p.instance) = (e.service, e.host, e.instance)
                )
                INSERT INTO processes AS p
                    (service, host, instance, version, started_at, expires_at, secrets, token_keys, clock_offset_ms, calls)
                VALUES ($1, $2, $3, $4, clock_timestamp(), clock_timestamp() + $5::double precision * interval '1 second',
                    $6::jsonb, $7::text[], $8::bigint, $9::jsonb)
                ON CONFLICT (service, host, instance) DO UPDATE SET
                    version = excluded.version, expires_at = greatest(excluded.expires_at, p.expires_at),
                    secrets = excluded.secrets,
                    token_keys = excluded.token_keys, clock_offset_ms = excluded.clock_offset_ms,
                    calls = excluded.calls,
                    started_at = CASE WHEN $10 THEN excluded.started_at ELSE p.started_at END
                RETURNING extract(epoch FROM clock_timestamp())::double precision AS now, started_at::text,
                    expires_at::text, clock_timestamp()::text AS written_at, (SELECT h.went_back_at::text FROM database_history h) AS went_back_at
                """,
                [
                    .text(service), .text(host), .text(instance), .text(Suite.version),
                    .double(Self.lifetime / .seconds(1)), .text(hashes),
                    keys == nil ? .null : .textArray(fingerprints), PostgresValue(clockOffsetMs),
                    .text(String(decoding: calls, as: UTF8.self)), .bool(written == nil),
                ])
            if let row = rows.first {
                if let offset = context.clock.note(try row.double("now"), asked: asked) {
                    clockOffsetMs = Int((offset * 1_000).rounded())
                    checkClock(offset)
                }
                var now = try DatabaseHistory.Row(row)
                // What others have written down since the check above is for the next one to find.
                now.wentBackAt = written?.wentBackAt ?? now.wentBackAt
                written = now
            }
            (isReachable, silence) = (true, nil)
        } catch is DatabaseHistory.WentBack {
            // The process ends.
        } catch {
            guard !Task.isCancelled else { return }
            let known = error as? PostgresError
            // What `checkSessions` reports is reported once.
            let isReported = known?.rule?.notReady != nil
            let isSilent =
                !isReported && known.map { [.unavailable, .outcomeUnknown, .deadline].contains($0.code) } == true
            silence = isSilent ? "\(error)" : nil
            if isReachable, !isReported, !isSilent {
                context.logger.warning("The row of this process could not be renewed", metadata: ["error": "\(error)"])
            }
            isReachable = false
        }
    }

    /// The hashes of the settings' secrets as JSON. Their key is read once.
    private func secretHashes() async throws -> String {
        if let hashes { return hashes }
        guard let row = try await pool.query("SELECT key FROM process_hash_key").first else {
            throw PostgresError(.decoding, "no key for hashes")
        }
        let encoded = try JSONEncoder().encode(try context.secrets.hashes(key: try row.string("key")))
        let text = String(decoding: encoded, as: UTF8.self)
        hashes = text
        return text
    }

    private static var hostName: String {
        var buffer = [CChar](repeating: 0, count: 256)
        gethostname(&buffer, buffer.count - 1)
        return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
