import Postgres

/// The part of a guarded statement that proves the lease: `WITH lease_guard AS MATERIALIZED (…)`.
///
/// The row is locked against a takeover until the statement has committed, so a write under an old epoch cannot slip in
/// after a newer holder has read.
package enum LeaseGuard {
    /// - Parameters: the positions of the lease's name and epoch among the statement's parameters.
    package static func sql(name: Int, epoch: Int) -> String {
        """
        lease_guard AS MATERIALIZED (
            SELECT 1 AS held FROM leases
            WHERE name = $\(name) AND epoch = $\(epoch) AND expires_at > clock_timestamp() FOR SHARE)
        """
    }
}
