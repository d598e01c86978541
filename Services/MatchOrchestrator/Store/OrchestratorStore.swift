import Cricket
package import Postgres
package import SightscreenModels
import Store

/// What the orchestrator reads and writes: which activities should exist, which should end, what has expired.
///
/// Every write proves the lease in the same statement and takes a bounded bite; a pass goes on until a bite is not full.
/// Everything may be repeated: it only makes true what should be true.
package struct OrchestratorStore: Sendable {
    /// Rows per statement. A bite takes well under a second, so it stays far from `statement_timeout` and does not keep
    /// the lease's row locked for long.
    package static let biteMax = 5_000

    let pool: PostgresPool
    let bite: Int

    /// - Parameter bite: rows per statement, smaller in tests.
    package init(pool: PostgresPool, bite: Int = OrchestratorStore.biteMax) {
        self.pool = pool
        self.bite = bite
    }

    /// Runs `statement` until a bite is not full. It answers with `held`, `taken` (rows it took in) and `matches` (a
    /// comma list of the matches whose activities changed).
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
            if taken < bite { return changes }
        }
    }

    /// What one step changed.
    package struct Changes: Sendable, Equatable {
        package var rows = 0
        package var matches: Set<MatchID> = []
        package init() {}
    }
}

extension Duration {
    /// For `$n::double precision * interval '1 second'`.
    var parameter: PostgresValue { .double(self / .seconds(1)) }
}
