import Processes
import Tapes

/// The settings and ports of each process of a run.
struct SuiteLayout: Sendable {
    static let stages = ["event-bus", "la-coordinator", "orchestrator", "score-poller", "api-gateway"]
    static let standIns = ["dev-issuer", "apns-simulator", "mock-sportmonks"]
    /// The service that starts last, because its phones call the API.
    static let lab = "device-lab"

    struct Ports: Sendable {
        /// Of the first gateway.
        var gateway: Int
        var issuer: Int
        var apns: Int
        var apnsSandbox: Int
        var apnsManagement: Int
        var apnsSandboxManagement: Int
        var apnsControl: Int
        var provider: Int
        var lab: Int
        /// By instance.
        var health: [String: Int] = [:]
        var gateways: [String: Int] = [:]

        mutating func add(_ instance: SuiteDescription.Instance) throws {
            if instance.kind != "dev-issuer", health[instance.name] == nil {
                health[instance.name] = try FreePorts.take(1)[0]
            }
            guard instance.kind == "api-gateway", gateways[instance.name] == nil else { return }
            gateways[instance.name] = gateways.isEmpty ? gateway : try FreePorts.take(1)[0]
        }
    }

    struct Demo: Sendable {
        /// The id of a tape.
        var match: Int64
        var speed: Double
        var feed: FeedOptions
        var phones: Int
    }

    var state: StateFolder
    var secrets: DevelopmentSecrets
    var ports: Ports
    var suite: SuiteDescription
    var databaseURL: String
    var tapes: String
    /// The folder that holds the executables of the suite.
    var binaries: String
    var timing: DemoTiming
    /// The match that device-lab shows.
    var demo: Demo
    /// The folder in which score-poller writes tapes; nil for none.
    var recordFolder: String?
    /// Variables of the caller's environment that go to every service (LOG_LEVEL, LOG_FORMAT,
    /// OTEL_EXPORTER_OTLP_ENDPOINT, …).
    var extra: [String: String]

    /// Of the stand-ins.
    var address: String { suite.address ?? "127.0.0.1" }
    var gatewayURL: String { "http://127.0.0.1:\(ports.gateway)" }
    var issuerURL: String { "http://\(address):\(ports.issuer)" }
    var controlURL: String { "http://\(address):\(ports.apnsControl)" }
    var providerURL: String { "http://\(address):\(ports.provider)" }
    var apnsURL: String { "https://\(address):\(ports.apns)" }
    var apnsManagementURL: String { "https://\(address):\(ports.apnsManagement)" }
    var labURL: String { "http://127.0.0.1:\(ports.lab)" }

    func service(_ instance: SuiteDescription.Instance) -> SupervisedService {
        let (name, kind) = (instance.name, instance.kind)
        let log = "\(state.logs)/\(name).log"
        let health = ports.health[name].map(String.init) ?? "0"
        let address = instance.address ?? (Self.standIns.contains(kind) ? address : "127.0.0.1")
        var environment = [
            "PATH": "/usr/local/bin:/usr/bin:/bin", "SIGHTSCREEN_RUN_DIR": state.run, "SIGHTSCREEN_STAND_INS": "1",
            "INSTANCE": name, "DATABASE_URL": databaseURL, "HEALTH_HOST": address, "HEALTH_PORT": health,
            "SIGHTSCREEN_STATE_DIR": state.path,
            // A crash is told without registers, beside which the log would have the memory that they point to.
            "SWIFT_BACKTRACE": "registers=none,sanitize=yes",
        ]
        if let port = ports.gateways[name] {
            environment.merge(["GATEWAY_HOST": address, "GATEWAY_PORT": String(port)]) { $1 }
        }
        for more in [settings(of: kind), extra, suite.settings ?? [:], instance.settings ?? [:]] {
            environment.merge(more) { $1 }
        }
        var line = instance.prefix ?? []
        if kind == "dev-issuer" {
            line += ["\(binaries)/sightscreen", kind, "--host", address, "--port", String(ports.issuer)]
            line += ["--state-dir", secrets.folder]
        } else {
            line.append(instance.program ?? "\(binaries)/\(kind)")
            line += (instance.arguments ?? []).map { $0.replacing("$PORT", with: health) }
        }
        return SupervisedService(
            name: name,
            command: Command(line[0], Array(line.dropFirst()), environment: environment, output: .file(log)),
            readyURL: kind == "dev-issuer"
                ? "\(issuerURL)/.well-known/jwks.json" : "http://\(address):\(health)/health/ready",
            url: ports.gateways[name].map { "http://\(address):\($0)" }, logFile: log,
            restarts: suite.restarts ?? true)
    }

    private func settings(of name: String) -> [String: String] {
        func timed(_ names: String...) -> [String: String] {
            timing.settings.filter { names.contains($0.key) }
        }
        let provider = [
            "SPORTMONKS_API_TOKEN": DevelopmentSecrets.providerToken,
            "SPORTMONKS_URL": "\(providerURL)/api/v2.0",
        ]
        switch name {
        case "api-gateway":
            return [
                "REPLAY_URL": providerURL, "COGNITO_ISSUER": issuerURL,
                "COGNITO_CLIENT_ID": DevelopmentSecrets.clientID, "TOKEN_KEY_FILE": secrets.tokenKeys,
            ]
        case "orchestrator":
            return provider.merging(
                timed(
                    "ORCHESTRATOR_INTERVAL", "RESULT_HOLD", "SPORTMONKS_HOURLY_LIMIT", "SUPER_OVER_WAIT",
                    "START_FALLBACK_WAIT", "ACTIVITY_RENEW_AFTER", "BROADCAST", "CHANNEL_MIN_FOLLOWERS")
            ) { _, new in new }
        case "score-poller":
            return provider.merging(
                timed("POLL_INTERVAL", "MARQUEE_POLL_INTERVAL", "SUSPENDED_POLL_INTERVAL", "SPORTMONKS_HOURLY_LIMIT")
            ) { _, new in new }.merging(recordFolder.map { ["RECORD_DIR": $0] } ?? [:]) { _, new in new }
        case "event-bus":
            return timed("RESULT_HOLD", "SUPER_OVER_WAIT", "KEEPALIVE_INTERVAL")
        case "la-coordinator":
            return [
                "APNS_KEY_FILE": secrets.apnsKey, "APNS_KEY_ID": DevelopmentSecrets.keyID,
                "APNS_TEAM_ID": DevelopmentSecrets.teamID, "APNS_BUNDLE_ID": DevelopmentSecrets.bundleID,
                "APNS_URL": apnsURL, "APNS_SANDBOX_URL": "https://\(address):\(ports.apnsSandbox)",
                "APNS_MANAGE_URL": apnsManagementURL,
                "APNS_SANDBOX_MANAGE_URL": "https://\(address):\(ports.apnsSandboxManagement)",
                "APNS_CA_FILE": secrets.certificate, "TOKEN_KEY_FILE": secrets.tokenKeys,
            ].merging(timed("KEEPALIVE_INTERVAL", "BROADCAST")) { _, new in new }
        case "apns-simulator":
            return [
                "APNS_SIMULATOR_HOST": address,
                "APNS_SIMULATOR_PORT": String(ports.apns),
                "APNS_SIMULATOR_SANDBOX_PORT": String(ports.apnsSandbox),
                "APNS_SIMULATOR_MANAGEMENT_PORT": String(ports.apnsManagement),
                "APNS_SIMULATOR_SANDBOX_MANAGEMENT_PORT": String(ports.apnsSandboxManagement),
                "APNS_SIMULATOR_CONTROL_PORT": String(ports.apnsControl),
                "APNS_SIMULATOR_CERTIFICATE_FILE": secrets.certificate,
                "APNS_SIMULATOR_KEY_FILE": secrets.certificateKey,
                "APNS_SIMULATOR_PUBLIC_KEY_FILE": secrets.apnsPublicKey,
                "APNS_KEY_ID": DevelopmentSecrets.keyID, "APNS_TEAM_ID": DevelopmentSecrets.teamID,
                "APNS_BUNDLE_ID": DevelopmentSecrets.bundleID,
            ]
        case "mock-sportmonks":
            return [
                "MOCK_SPORTMONKS_HOST": address, "MOCK_SPORTMONKS_PORT": String(ports.provider),
                "MOCK_SPORTMONKS_TAPES": tapes, "MOCK_SPORTMONKS_TOKEN": DevelopmentSecrets.providerToken,
            ]
        case Self.lab:
            return [
                "DEVICE_LAB_PORT": String(ports.lab), "DEVICE_LAB_GATEWAY_URL": gatewayURL,
                "DEVICE_LAB_ISSUER_URL": issuerURL, "DEVICE_LAB_PROVIDER_URL": providerURL,
                "DEVICE_LAB_APNS_URL": controlURL, "DEVICE_LAB_PHONES": String(demo.phones),
                "DEVICE_LAB_MATCH": String(demo.match), "DEVICE_LAB_SPEED": String(demo.speed),
                "DEVICE_LAB_VARIANT": demo.feed.variant.rawValue, "DEVICE_LAB_TAPE_SEED": String(demo.feed.seed),
            ]
        default:
            return [:]
        }
    }
}
