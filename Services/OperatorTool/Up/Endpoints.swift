/// The addresses of a run's parts, which `sightscreen up` writes to `endpoints.json` for scripts and tests.
public struct Endpoints: Codable, Sendable {
    public var gateway: String
    public var issuer: String
    /// The control port of apns-simulator.
    public var apnsControl: String
    /// mock-sportmonks: `/api/v2.0` and `/control`.
    public var provider: String
    public var apns: String
    /// Where apns-simulator makes and deletes channels of production.
    public var apnsManagement: String
    /// The page of device-lab; nil with `--headless`.
    public var lab: String?
    public var databaseURL: String
    public var runDirectory: String
    public var secrets: String
    public var logs: String
    /// The base URL of `/health/*` and `/metrics`, by service.
    public var health: [String: String]
}
