import Postgres

/// The part of a guarded statement that proves the lease: `WITH lease_guard AS MATERIALIZED (…)`.
///
/// It locks the lease's row against a takeover until the statement has committed, so a write under an old epoch cannot
/// commit after a newer holder has read.
package enum LeaseGuard {
    /// Builds the expression.
    /// - Parameters:
    ///   - name: the position of the lease's name among the statement's parameters.
    ///   - epoch: the position of its epoch.
    package static func sql(name: Int, epoch: Int) -> String {
        """
        lease_guard AS MATERIALIZED (
            SELECT 1 AS held FROM leases
            WHERE name = $\(name) AND epoch = $\(epoch) AND expires_at > clock_timestamp() FOR SHARE)
        """
    }
}
