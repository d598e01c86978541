import Activities
package import Postgres
import Store

/// Answers an operator's questions when an activity is not where it should be. It only reads; tokens never leave the
/// database.
package struct InspectStore: Sendable {
    /// The most phones for which the caps are counted when many wait: counting them for a million would take longer
    /// than sending.
    static let capsLookedAtMax = 10_000
    /// The most lines of one kind for one user or phone.
    static let linesMax = 200
    let pool: PostgresPool

    package init(pool: PostgresPool) { self.pool = pool }

    /// A time as whole seconds since 1970, under the name of its column.
    static func seconds(_ column: String, of table: String) -> String {
        "floor(extract(epoch FROM \(table).\(column)))::bigint AS \(column)"
    }

    /// The first 8 hex digits of the SHA-256 of a token's lookup key, enough to tell two tokens apart.
    static func fingerprint(_ column: String, of table: String) -> String {
        "substr(encode(sha256(convert_to(token_key(\(table).\(column)), 'UTF8')), 'hex'), 1, 8) AS \(column)"
    }

    static func now(_ pool: PostgresPool) async throws -> Int {
        let rows = try await pool.query("SELECT floor(extract(epoch FROM clock_timestamp()))::bigint AS now")
        return try rows.first?.int("now") ?? 0
    }

    /// The SQL condition that the start of `a`, a pending row of `live_activities`, is leased, as `ActivityCase.Record`
    /// has it.
    static let isLeased = "a.start_lease_until > clock_timestamp()"
    static let isGivenUp = """
        (a.start_given_up_at IS NOT NULL OR a.start_attempts >= \(StartPolicy.triesMax)
            AND a.start_lease_until <= clock_timestamp())
        """

    /// Reads a record from a row with `status`, `tried`, `leased` and `given_up`; a status of NULL means that there is
    /// none.
    static func record(_ row: PostgresRow) throws -> ActivityCase.Record {
        switch try row.optionalString("status") {
        case "active": .active
        case "pending":
            .pending(
                hasTried: try row.bool("tried"), isLeased: try row.optionalBool("leased") ?? false,
                isGivenUp: try row.optionalBool("given_up") ?? false)
        default: .none
        }
    }

    /// The SQL for the cap that `this_hour`, `this_day` and `user_day` of a row `sent` have reached.
    static let cap = """
        CASE WHEN sent.this_hour >= \(StartPolicy.perDeviceHourMax) THEN 'phoneHour'
            WHEN sent.this_day >= \(StartPolicy.perDeviceDayMax) THEN 'phoneDay'
            WHEN sent.user_day >= \(StartPolicy.perUserDayMax) THEN 'userDay' END AS cap
        """

    /// The SQL for the starts of phone `device` of `user`, and of the user, counted as the coordinators and the
    /// orchestrator count them.
    static func sent(user: String, device: String) -> String {
        """
        SELECT (\(StartBudget.thisHour("other.device_id = \(device)")))::bigint AS this_hour,
            coalesce(sum(other.starts_sent) FILTER (WHERE other.device_id = \(device)), 0)::bigint AS this_day,
            coalesce(sum(other.starts_sent), 0)::bigint AS user_day
        FROM live_activities AS other
        WHERE other.user_id = \(user) AND \(StartBudget.isOfToday)
        """
    }
}
