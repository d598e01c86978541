/// `GET /app/config`.
public struct AppConfig: Codable, Hashable, Sendable {
    /// Below it the app asks for an update and opens `storeUrl`.
    public var minAppVersion: String
    public var storeUrl: String
    public var maintenanceMode: Bool

    public init(minAppVersion: String, storeUrl: String, maintenanceMode: Bool) {
        self.minAppVersion = minAppVersion
        self.storeUrl = storeUrl
        self.maintenanceMode = maintenanceMode
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
