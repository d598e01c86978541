package import Postgres

extension Lease {
    /// The first two parameters of a guarded statement, for `LeaseGuard.sql(name: 1, epoch: 2)`.
    package var parameters: [PostgresValue] { [.text(name.rawValue), .int(epoch)] }

    /// - Throws: `.leaseLost` unless the statement answered `held`.
    package func check(_ rows: [PostgresRow]) throws {
        guard try rows.first?.bool("held") == true else {
            throw StoreError(.leaseLost, "\(name) is not held under epoch \(epoch)")
        }
    }
}
