package import FanOut
import Postgres
import SightscreenModels

extension ActivityStore {
    /// Computes the sums of some shards from the table. It reads the whole table, which takes half a second for a
    /// million rows.
    package func rosterSums(shards: [Int]) async throws -> [Int: RosterSum] {
        let rows = try await pool.query(
            """
            SELECT shard::int AS shard, count(*) AS count,
                sum((extract(epoch FROM token_at) * 1000000)::bigint % \(RosterSum.modulus))::bigint AS hash
            FROM live_activities
            WHERE status <> 'ended' AND status = 'active' AND update_token IS NOT NULL AND shard = ANY($1::int[])
            GROUP BY 1
            """, [.intArray(shards)], deadline: .seconds(30))
        return Dictionary(
            try rows.map { row in
                (try row.int("shard"), RosterSum(count: try row.int("count"), hash: try row.int64("hash")))
            }
        ) { first, _ in first }
    }

    /// Returns those of the shards in which an activity has changed since an earlier reading.
    /// - Parameter cursor: the cursor of that reading, as `changes` returns it.
    package func changedShards(since cursor: String, of shards: [Int]) async throws -> Set<Int> {
        let rows = try await pool.query(
            """
            SELECT DISTINCT shard::int AS shard FROM live_activities
            WHERE changed_xid >= $1::xid8 AND \(Self.isOfThisServer) AND shard = ANY($2::int[])
            """, [.text(cursor), .intArray(shards)], deadline: .seconds(30))
        return Set(try rows.map { try $0.int("shard") })
    }
}
