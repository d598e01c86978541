import Postgres

/// Whether the database has gone back, because a dump, a snapshot or a backup was restored, or a standby took over that
/// lacked the last seconds. A process notices it by its own row in `processes`: that is older than what it last wrote,
/// or is not there.
///
/// The first process that notices it writes down when (`database_history`), which all others see. Each that has noticed
/// ends, to be started again, because it knows of things that never happened.
enum DatabaseHistory {
    /// A process's row in `processes`, as it was last acknowledged.
    struct Row: Equatable, Sendable {
        var startedAt: String
        var expiresAt: String
        var writtenAt: String
        /// When the database had last gone back by the first write.
        var wentBackAt: String

        init(_ row: PostgresRow) throws {
            startedAt = try row.string("started_at")
            expiresAt = try row.string("expires_at")
            writtenAt = try row.string("written_at")
            wentBackAt = try row.string("went_back_at")
        }

        /// The parameters of `check` after those that name the process.
        var parameters: [PostgresValue] { [.text(startedAt), .text(expiresAt), .text(wentBackAt), .text(writtenAt)] }
    }

    /// The process must end.
    struct WentBack: Error, CustomStringConvertible {
        var isFirst: Bool
        var description: String {
            isFirst ? "its row is not there, or is older than what it wrote" : "it is written down in database_history"
        }
    }

    /// Expired rows are deleted after this time. A row that is missing sooner was never written, as far as the database
    /// knows.
    static let kept = "interval '1 day'"

    /// Judges the row of a process (`$1`, `$2`, `$3`) by what the process last wrote (`Row.parameters`), and writes down
    /// that the database went back, unless somebody has since.
    static let check = """
        WITH now AS (
            SELECT h.went_back_at, h.went_back_at < $6::timestamptz
                OR CASE WHEN p.service IS NULL THEN clock_timestamp() < $5::timestamptz + \(Self.kept)
                    ELSE (p.started_at, p.expires_at) < ($4::timestamptz, $5::timestamptz) END AS went_back
            FROM database_history h
            LEFT JOIN processes p ON p.service = $1 AND p.host = $2 AND p.instance = $3
        ), noted AS (
            UPDATE database_history h
            SET went_back_at = greatest(clock_timestamp(), $7::timestamptz, $6::timestamptz + interval '1 microsecond')
            FROM now
            WHERE now.went_back AND now.went_back_at < $7::timestamptz AND h.went_back_at = now.went_back_at
            RETURNING 1
        )
        SELECT went_back OR went_back_at <> $6::timestamptz AS went_back, EXISTS (SELECT FROM noted) AS is_first
        FROM now
        """
}
