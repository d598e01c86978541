/// The endpoints whose calls the provider counts separately.
public enum ProviderEndpoint: String, Sendable, CaseIterable {
    /// The endpoint `/livescores`.
    case livescores
    /// The endpoints `/fixtures` and `/fixtures/{id}`, which the provider counts together.
    case fixtures
}
