import Cricket
package import Postgres
package import SightscreenModels
import Store

/// Reads and writes for the orchestrator: which activities should exist, which should end, and which rows have expired.
///
/// Every write proves the lease in the same statement and takes a bounded batch; a pass goes on until a batch is not
/// full. Every call may be repeated, because it only brings about a state.
package struct OrchestratorStore: Sendable {
    /// The most rows in a statement. A batch takes well under a second, so it stays far from `statement_timeout` and
    /// does not keep the lease's row locked for long.
    package static let batchMax = 5_000

    let pool: PostgresPool
    let batchSize: Int

    /// - Parameter batchSize: the most rows in a statement; smaller in tests.
    package init(pool: PostgresPool, batchSize: Int = OrchestratorStore.batchMax) {
        self.pool = pool
        self.batchSize = batchSize
    }

    /// Runs `statement` until a batch is not full. The statement answers with `held`, `taken` (the number of its rows)
    /// and `matches` (a comma list of the matches whose activities changed).
    func repeated(_ lease: Lease, _ statement: String, _ parameters: [PostgresValue]) async throws -> Changes {
        var changes = Changes()
        while true {
            let rows = try await pool.query(statement, lease.parameters + parameters)
            try lease.check(rows)
            guard let row = rows.first else { return changes }
            let taken = try row.int("taken")
            changes.rows += taken
            let matches = try row.optionalString("matches") ?? ""
            changes.matches.formUnion(matches.split(separator: ",").compactMap { MatchID(String($0)) })
            if taken < batchSize { return changes }
        }
    }
    /// The changes of one step.
    package struct Changes: Sendable, Equatable {
        package var rows = 0
        package var matches: Set<MatchID> = []
        package init() {}
    }
}

extension Duration {
    /// The seconds, for `$n::double precision * interval '1 second'`.
    var parameter: PostgresValue { .double(self / .seconds(1)) }
}
