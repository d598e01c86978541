package import Postgres
package import SightscreenModels

extension PostgresRow {
    /// Reads the column `environment` of `devices`. A value that only a later version knows counts as production, which
    /// is also the default.
    package func environment() throws -> APNsEnvironment {
        APNsEnvironment(rawValue: try string("environment")) ?? .production
    }
}
