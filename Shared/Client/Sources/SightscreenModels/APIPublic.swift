/// `GET /app/config`.
public struct AppConfig: Codable, Hashable, Sendable {
    /// Below it the app asks for an update and opens `storeUrl`.
    public var minAppVersion: String
    public var storeUrl: String
    public var maintenanceMode: Bool
    /// What the maintenance screen says.
    public var maintenanceMessage: String?
    /// Whether the version that asks is below `minAppVersion`; only when it says which it is.
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

    /// This, with an administrator's changes.
    public func applying(_ overrides: AppConfigOverrides) -> AppConfig {
        AppConfig(
            minAppVersion: overrides.minAppVersion ?? minAppVersion, storeUrl: overrides.storeUrl ?? storeUrl,
            maintenanceMode: overrides.maintenanceMode ?? maintenanceMode,
            maintenanceMessage: overrides.maintenanceMessage ?? maintenanceMessage)
    }
}

/// An error answer (RFC 9457), with content type `application/problem+json`.
public struct ProblemDocument: Codable, Hashable, Sendable {
    /// Names the kind of problem, `/problems/…`; clients decide by it and by the status.
    public var type: String
    public var title: String
    public var status: Int
    /// What was wrong with this request, for the developer of a client.
    public var detail: String?
    /// The field of the request that was wrong, if one was.
    public var field: String?
    /// As in the `X-Request-ID` header and in the log.
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
