import Postgres

extension ActivityStore {
    /// Reads all active rows of some shards, of which there may be a million. One statement reads them in their
    /// physical order, which takes a fraction of the time of paging through an index. Each page is fetched while the
    /// caller takes in the one before; what the caller learns meanwhile by other ways is newer than the page.
    /// - Parameter meanwhile: called every 250 ms while a page is awaited, never together with `take`.
    package func roster(
        shards: [Int], meanwhile: () async throws -> Void = {}, _ take: ([ActivityRecord]) async throws -> Void
    ) async throws {
        try await pool.transaction { transaction in
            // The settings make the planner optimise for the whole result, not for the first rows. The first page comes
            // once the joined tables have been read.
            _ = try await transaction.query(
                """
                SELECT set_config('cursor_tuple_fraction', '1', true), set_config('work_mem', '64MB', true),
                    set_config('statement_timeout', '60s', true),
                    set_config('idle_in_transaction_session_timeout', '60s', true)
                """)
            try await transaction.execute(
                """
                DECLARE roster NO SCROLL CURSOR FOR
                SELECT \(Self.recordColumns)
                FROM live_activities la
                -- Few are not, and a join with all of them costs more than to read the activities.
                LEFT JOIN devices d ON d.user_id = la.user_id AND d.device_id = la.device_id
                    AND (d.environment <> 'production' OR NOT d.frequent_pushes_enabled)
                LEFT JOIN match_follows f ON f.user_id = la.user_id AND f.match_id = la.match_id
                WHERE la.status <> 'ended' AND la.status = 'active' AND la.shard = ANY($1::int[])
                """, [.intArray(shards)])
            var isLast = false
            var page = fetch(transaction)
            while !isLast {
                let rows = try await wait(for: page, meanwhile)
                isLast = rows.count < pageRows
                if !isLast { page = fetch(transaction) }
                try await take(try await records(rows))
            }
        }
    }

    private struct Page {
        let task: Task<[PostgresRow], any Error>
        /// Yields every 250 ms while the page is awaited, and ends when the page is there.
        let waiting: AsyncStream<Void>
    }

    private func fetch(_ transaction: PostgresTransaction) -> Page {
        let (waiting, ticks) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let ticker = Task {
            while !Task.isCancelled {
                try? await Task.sleep(for: .milliseconds(250))
                ticks.yield()
            }
        }
        let task = Task { @concurrent in
            defer {
                ticker.cancel()
                ticks.finish()
            }
            return try await transaction.query("FETCH FORWARD \(pageRows) FROM roster", deadline: .seconds(60))
        }
        return Page(task: task, waiting: waiting)
    }

    /// Decodes off the caller's executor, because the caller has changes to read meanwhile.
    @concurrent private func records(_ rows: [PostgresRow]) async throws -> [ActivityRecord] {
        try rows.map { try record($0) }
    }

    private func wait(for page: Page, _ meanwhile: () async throws -> Void) async throws -> [PostgresRow] {
        for await _ in page.waiting { try await meanwhile() }
        return try await page.task.value
    }
}
