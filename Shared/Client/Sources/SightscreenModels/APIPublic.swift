/// The answer to `GET /app/config`.
public struct AppConfig: Codable, Hashable, Sendable {
    /// The lowest version that may be used. An app below it asks for an update and opens `storeUrl`.
    public var minAppVersion: String
    public var storeUrl: String
    public var maintenanceMode: Bool
    /// The text on the maintenance screen.
    public var maintenanceMessage: String?
    /// Whether the requesting app is below `minAppVersion`; absent when the request does not name its version.
    public var updateRequired: Bool?

    public init(
        minAppVersion: String, storeUrl: String, maintenanceMode: Bool, maintenanceMessage: String? = nil,
        updateRequired: Bool? = nil
    ) {
        self.minAppVersion = minAppVersion
        self.storeUrl = storeUrl
        self.maintenanceMode = maintenanceMode
        self.maintenanceMessage = maintenanceMessage
        self.updateRequired = updateRequired
    }

    /// Returns this configuration with an administrator's changes.
    public func applying(_ overrides: AppConfigOverrides) -> AppConfig {
        AppConfig(
            minAppVersion: overrides.minAppVersion ?? minAppVersion, storeUrl: overrides.storeUrl ?? storeUrl,
            maintenanceMode: overrides.maintenanceMode ?? maintenanceMode,
            maintenanceMessage: overrides.maintenanceMessage ?? maintenanceMessage)
    }
}

/// An error answer (RFC 9457), with content type `application/problem+json`.
public struct ProblemDocument: Codable, Hashable, Sendable {
    /// The kind of problem, `/problems/…`. Clients decide by it and by the status.
    public var type: String
    public var title: String
    public var status: Int
    /// The mistake in this request, for the developer of a client.
    public var detail: String?
    /// The field of the request that was wrong, if there is one.
    public var field: String?
    /// The request's id, as in the `X-Request-ID` header and in the log.
    public var requestId: String

    public init(
        type: String, title: String, status: Int, detail: String? = nil, field: String? = nil, requestId: String
    ) {
        self.type = type
        self.title = title
        self.status = status
        self.detail = detail
        self.field = field
        self.requestId = requestId
    }
}
