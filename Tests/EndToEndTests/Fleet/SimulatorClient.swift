import FoundationEssentials
public import HTTPClient
public import SightscreenModels

/// The control port of apns-simulator, as far as phones need it.
public struct SimulatorClient: Sendable {
    public let base: String
    private let http: HTTPClient

    public init(base: String, http: HTTPClient) {
        self.base = base
        self.http = http
    }

    /// - Parameter kind: `start`, `update` or `device`.
    public func register(_ token: String, kind: String, environment: APNsEnvironment = .production) async throws {
        struct Body: Encodable {
            var token: String
            var kind: String
            var environment: APNsEnvironment
        }
        let response = try await http.send(
            HTTPClientRequest(
                method: "POST", url: "\(base)/tokens", headers: [("content-type", "application/json")],
                body: [UInt8](try JSONEncoder().encode(Body(token: token, kind: kind, environment: environment))),
                timeout: .seconds(5)))
        guard (200..<300).contains(response.status) else {
            throw GatewayClient.Failure("apns-simulator refuses a token: \(response.status)")
        }
    }

    public func subscribe(_ subscriber: String, to channel: String) async throws {
        struct Body: Encodable {
            var channel: String
            var environment = APNsEnvironment.production
            var subscriber: String
        }
        let response = try await http.send(
            HTTPClientRequest(
                method: "POST", url: "\(base)/subscribers", headers: [("content-type", "application/json")],
                body: [UInt8](try JSONEncoder().encode(Body(channel: channel, subscriber: subscriber))),
                timeout: .seconds(5)))
        guard (200..<300).contains(response.status) else {
            throw GatewayClient.Failure("apns-simulator refuses a subscriber: \(response.status)")
        }
    }

    /// Loses a share of what is published to phones, from 0 to 1, from now on.
    public func losePublishes(_ share: Double) async throws {
        struct Body: Encodable {
            struct Match: Encodable {
                var call = "publish"
                var count = 1_000_000
            }
            var match = Match()
            var lostShare: Double
        }
        let response = try await http.send(
            HTTPClientRequest(
                method: "POST", url: "\(base)/faults", headers: [("content-type", "application/json")],
                body: [UInt8](try JSONEncoder().encode(Body(lostShare: share))), timeout: .seconds(5)))
        guard (200..<300).contains(response.status) else {
            throw GatewayClient.Failure("apns-simulator refuses a fault: \(response.status)")
        }
    }

    /// The ids of the channels that the app has.
    public func channels() async throws -> [String] {
        struct Channel: Decodable { var id: String }
        let response = try await http.send(HTTPClientRequest(url: "\(base)/channels", timeout: .seconds(5)))
        return try JSONDecoder().decode([Channel].self, from: Data(response.body)).map(\.id)
    }

    public func deliveries(since: Int) async throws -> [PushDelivery] {
        let response = try await http.send(
            HTTPClientRequest(
                url: "\(base)/deliveries?since=\(since)", timeout: .seconds(10), bodyBytesMax: 64 << 20))
        guard response.status == 200 else {
            throw GatewayClient.Failure("apns-simulator does not show its deliveries: \(response.status)")
        }
        return try response.body.split(separator: UInt8(ascii: "\n")).map {
            try JSONDecoder().decode(PushDelivery.self, from: Data($0))
        }
    }
}
