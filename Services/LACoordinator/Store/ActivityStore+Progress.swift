import FoundationEssentials
import Postgres
import SightscreenModels
package import Store

extension ActivityStore {
    /// Writes for the operator how far this coordinator is, one row per match.
    package func note(_ progress: [FanOutProgress]) async throws {
        try await pool.execute(
            """
            INSERT INTO fanout_progress (match_id, coordinator, version, targeted, sent, accepted, superseded, failed,
                first_ms, last_ms, behind_since)
            SELECT n.match_id, n.coordinator, n.version, n.targeted, n.sent, n.accepted, n.superseded, n.failed::jsonb,
                nullif(n.first_ms, -1), nullif(n.last_ms, -1),
                clock_timestamp() - make_interval(secs => nullif(n.behind_ms, -1) / 1000.0)
            FROM unnest($1::bigint[], $2::text[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[],
                $8::text[], $9::bigint[], $10::bigint[], $11::bigint[]) AS n (match_id, coordinator, version, targeted,
                sent, accepted, superseded, failed, first_ms, last_ms, behind_ms)
            ON CONFLICT (match_id, coordinator) DO UPDATE SET
                version = excluded.version, targeted = excluded.targeted, sent = excluded.sent,
                accepted = excluded.accepted, superseded = excluded.superseded, failed = excluded.failed,
                first_ms = excluded.first_ms, last_ms = excluded.last_ms,
                behind_since = excluded.behind_since, updated_at = clock_timestamp()
            """,
            [
                .intArray(progress.map(\.match.rawValue)), .textArray(progress.map(\.coordinator)),
                .intArray(progress.map { Int64($0.version) }), .intArray(progress.map { Int64($0.targeted) }),
                .intArray(progress.map { Int64($0.sent) }), .intArray(progress.map { Int64($0.accepted) }),
                .intArray(progress.map { Int64($0.superseded) }),
                .textArray(
                    try progress.map { String(decoding: try JSONEncoder().encode($0.failed), as: UTF8.self) }),
                .intArray(progress.map { Int64($0.firstMs ?? -1) }), .intArray(progress.map { Int64($0.lastMs ?? -1) }),
                .intArray(progress.map { Int64($0.behindMs ?? -1) }),
            ])
    }
}
