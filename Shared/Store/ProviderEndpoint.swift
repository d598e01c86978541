/// What the provider counts calls of, each by itself.
public enum ProviderEndpoint: String, Sendable, CaseIterable {
    /// `/livescores`.
    case livescores
    /// `/fixtures` and `/fixtures/{id}`.
    case fixtures
}
