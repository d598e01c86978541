package import Postgres
package import SightscreenModels

extension PostgresRow {
    /// The column `environment` of `devices`. A word of a later release is taken for production, as one that is missing is.
    package func environment() throws -> APNsEnvironment {
        APNsEnvironment(rawValue: try string("environment")) ?? .production
    }
}
