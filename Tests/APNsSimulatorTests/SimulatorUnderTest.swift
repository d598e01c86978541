import APNsSimulator
import FoundationEssentials
import HTTP2
import Logging
import Reactor
import ServiceLifecycle
import SightscreenModels
import TestKit
import Tokens

/// A running simulator, and what is needed to talk to it: our own HTTP/2 client for APNs, curl for the control port.
struct SimulatorUnderTest: Sendable {
    let ports: SimulatorPorts
    let credentials: Credentials
    let reactor: Reactor
    /// One for the whole test, as a connection takes no other.
    let bearer: String

    /// Starts one on free ports, runs `body`, and stops it as SIGTERM does.
    static func run(
        _ change: (inout APNsSimulatorConfiguration) -> Void = { _ in },
        _ body: @Sendable @escaping (SimulatorUnderTest) async throws -> Void
    ) async throws {
        let credentials = try await Credentials()
        var configuration = APNsSimulatorConfiguration(
            certificateFile: credentials.certificateFile, keyFile: credentials.keyFile,
            publicKeyPEM: try credentials.signer.publicKeyPEM, keyID: Credentials.keyID, teamID: Credentials.teamID,
            bundleID: Credentials.bundleID)
        configuration.runDirectory = "\(credentials.folder)/run"
        change(&configuration)
        let (running, announce) = AsyncStream.makeStream(of: SimulatorPorts.self)
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let service = APNsSimulatorService(configuration, logger: logger) { announce.yield($0) }
        let group = ServiceGroup(configuration: .init(services: [service], logger: logger))
        let bearer = try credentials.bearer()
        let reactor = Reactor(name: "test")
        defer { reactor.stop() }
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await group.run() }
            tasks.addTask {
                defer { Task { await group.triggerGracefulShutdown() } }
                for await ports in running {
                    try await body(
                        SimulatorUnderTest(ports: ports, credentials: credentials, reactor: reactor, bearer: bearer))
                    break
                }
            }
            try await tasks.waitForAll()
        }
    }

    // MARK: - APNs

    func connect(sandbox: Bool = false, management: Bool = false) async throws -> HTTP2ClientConnection {
        let tls = try TLSConfiguration.client(caFile: credentials.certificateFile).makeContext()
        let port =
            switch (sandbox, management) {
            case (false, false): ports.production
            case (true, false): ports.sandbox
            case (false, true): ports.management
            case (true, true): ports.sandboxManagement
            }
        return try await HTTP2ClientConnection.connect(
            to: HTTP2Origin(host: "127.0.0.1", port: port), tls: tls, reactor: reactor)
    }

    /// The headers of a good update, with changes: nil takes one away.
    func headers(method: String = "POST", _ changes: [String: String?] = [:]) -> HTTP2HeaderTemplate {
        var fields: [String: String] = [
            "authorization": bearer, "apns-topic": "\(Credentials.bundleID).push-type.liveactivity",
            "apns-push-type": "liveactivity", "apns-priority": "5",
            "apns-expiration": String(Int(Date().timeIntervalSince1970) + 900),
        ]
        for (name, value) in changes { fields[name] = value }
        return HTTP2HeaderTemplate(
            method: method, authority: "localhost", fields: fields.sorted { $0.key < $1.key }.map { HTTP2Field($0, $1) }
        )
    }

    // MARK: - Control

    var control: String { "http://127.0.0.1:\(ports.control)" }

    /// - Returns: the status and the body.
    @discardableResult
    func control(_ method: String, _ path: String, _ body: String? = nil) async throws -> (status: Int, body: String) {
        var arguments = ["curl", "-s", "-m", "20", "-X", method, "-w", "\n%{http_code}", "\(control)\(path)"]
        if let body { arguments += ["-H", "content-type: application/json", "--data-binary", body] }
        let text = try await Tool.run(arguments, in: credentials.folder)
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        return (Int(lines.last ?? "") ?? 0, lines.dropLast().joined(separator: "\n"))
    }

    func register(
        _ token: String, kind: String = "update", environment: APNsEnvironment = .production, bundle: String? = nil
    ) async throws {
        let app = bundle.map { #","bundle":"\#($0)""# } ?? ""
        let answer = try await control(
            "POST", "/tokens",
            #"{"token":"\#(token)","kind":"\#(kind)","environment":"\#(environment.rawValue)"\#(app)}"#)
        guard answer.status == 201 else { throw Tool.Failure(description: "\(answer)") }
    }

    func deliveries(_ query: String = "") async throws -> [DeliveryLine] {
        let answer = try await control("GET", "/deliveries\(query)")
        guard answer.status == 200 else { throw Tool.Failure(description: "\(answer)") }
        return try DeliveryLine.parse(answer.body)
    }
}

/// A line of `GET /deliveries`, as a phone reads it.
struct DeliveryLine: Decodable, Sendable {
    struct Verdict: Decodable, Sendable, Equatable {
        var status: Int
        var reason: String?
        var timestamp: Int64?
    }
    struct Payload: Decodable, Sendable {
        struct APS: Decodable, Sendable {
            var timestamp: Int?
            var event: String?
        }
        var aps: APS
    }
    var seq: Int
    var receivedAt: Int64
    var environment: APNsEnvironment
    var token: String
    var headers: [String: String]
    var payload: Payload?
    var payloadText: String?
    var verdict: Verdict
    var deviceVerdict: String?
    var fault: String?
    var channel: String?
    var reached: Int?
    var lost: Int?

    static func parse(_ text: String) throws -> [DeliveryLine] {
        try text.split(separator: "\n").map { try JSONDecoder().decode(Self.self, from: Data($0.utf8)) }
    }
}
