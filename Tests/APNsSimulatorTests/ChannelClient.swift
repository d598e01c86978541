import APNsSimulator
import FoundationEssentials
import HTTP2
import SightscreenModels
import TestKit

/// Makes channels and publishes to them, in one environment of a running simulator.
struct ChannelClient: Sendable {
    struct Answer: Sendable, Equatable {
        var status: Int
        var headers: [HTTP2Field]
        var body: String

        /// The reason of a refusal.
        var reason: String? {
            struct Body: Decodable { var reason: String }
            return (try? JSONDecoder().decode(Body.self, from: Data(body.utf8)))?.reason
        }
    }

    static let channels = "/1/apps/\(Credentials.bundleID)/channels"
    static let allChannels = "/1/apps/\(Credentials.bundleID)/all-channels"
    static let publishes = "/4/broadcasts/apps/\(Credentials.bundleID)"

    let apns: SimulatorUnderTest
    let environment: APNsEnvironment
    let pushes: HTTP2ClientConnection
    let management: HTTP2ClientConnection

    init(_ apns: SimulatorUnderTest, _ environment: APNsEnvironment = .production) async throws {
        self.apns = apns
        self.environment = environment
        pushes = try await apns.connect(sandbox: environment == .sandbox)
        management = try await apns.connect(sandbox: environment == .sandbox, management: true)
    }

    /// Makes one request; the bearer is added where there is none.
    static func send(
        _ method: String, _ path: String, _ headers: [String: String], _ body: [UInt8], bearer: String,
        on connection: HTTP2ClientConnection
    ) async -> HTTP2Outcome {
        let fields = headers.merging(["authorization": bearer]) { given, _ in given }.sorted { $0.key < $1.key }
        return await connection.submit(
            path: path,
            headers: HTTP2HeaderTemplate(
                method: method, authority: "localhost", fields: fields.map { HTTP2Field($0.key, $0.value) }),
            body: body, timeout: .seconds(10))
    }

    static func answer(_ outcome: HTTP2Outcome) throws -> Answer {
        guard case .response(let response) = outcome else { throw Tool.Failure(description: "\(outcome)") }
        return Answer(
            status: response.status, headers: response.headers,
            body: String(decoding: response.body, as: UTF8.self))
    }

    func manage(
        _ method: String, _ path: String = Self.channels, _ headers: [String: String] = [:], body: String = ""
    ) async throws -> Answer {
        try Self.answer(
            await Self.send(method, path, headers, Array(body.utf8), bearer: apns.bearer, on: management))
    }

    static func body(policy: Int) -> String { #"{"message-storage-policy":\#(policy),"push-type":"LiveActivity"}"# }

    /// Makes a channel and returns its id.
    func create(policy: Int = 0) async throws -> String {
        let answer = try await manage("POST", body: Self.body(policy: policy))
        guard answer.status == 201, let id = answer.headers["apns-channel-id"] else {
            throw Tool.Failure(description: "\(answer)")
        }
        return id
    }

    func publish(
        _ body: [UInt8], to channel: String, expiration: Int = 0, _ headers: [String: String] = [:]
    ) async throws -> Answer {
        try Self.answer(await outcome(of: body, to: channel, expiration: expiration, headers))
    }

    func outcome(
        of body: [UInt8], to channel: String, expiration: Int = 0, _ headers: [String: String] = [:]
    ) async -> HTTP2Outcome {
        let good = [
            "apns-channel-id": channel, "apns-push-type": "liveactivity", "apns-expiration": "\(expiration)",
            "apns-priority": "5",
        ]
        return await Self.send(
            "POST", Self.publishes, good.merging(headers) { $1 }, body, bearer: apns.bearer, on: pushes)
    }

    /// Makes a phone listen.
    func subscribe(_ subscriber: String, to channel: String, timestamp: Int? = nil) async throws -> Int {
        let stamp = timestamp.map { ",\"timestamp\":\($0)" } ?? ""
        let body =
            #"{"channel":"\#(channel)","environment":"\#(environment.rawValue)","subscriber":"\#(subscriber)"\#(stamp)}"#
        return try await apns.control("POST", "/subscribers", body).status
    }
}
