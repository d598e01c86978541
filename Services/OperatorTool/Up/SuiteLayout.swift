import Processes
import Tapes

/// The processes of a run, with the settings and ports of each, in the order of their start.
struct SuiteLayout: Sendable {
    static let stages = ["event-bus", "la-coordinator", "orchestrator", "score-poller", "api-gateway"]
    static let standIns = ["dev-issuer", "apns-simulator", "mock-sportmonks"]
    /// The service that starts last, because its phones call the API.
    static let lab = "device-lab"

    struct Ports: Sendable {
        var gateway: Int
        var issuer: Int
        var apns: Int
        var apnsSandbox: Int
        var apnsControl: Int
        var provider: Int
        var lab: Int
        var health: [String: Int]
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

    var gatewayURL: String { "http://127.0.0.1:\(ports.gateway)" }
    var issuerURL: String { "http://127.0.0.1:\(ports.issuer)" }
    var controlURL: String { "http://127.0.0.1:\(ports.apnsControl)" }
    var providerURL: String { "http://127.0.0.1:\(ports.provider)" }
    var labURL: String { "http://127.0.0.1:\(ports.lab)" }

    func service(_ name: String) -> SupervisedService {
        let log = "\(state.logs)/\(name).log"
        var environment = common(name)
        environment.merge(settings(of: name)) { _, new in new }
        environment.merge(extra) { _, new in new }
        let program = name == "dev-issuer" ? "sightscreen" : name
        let arguments =
            name == "dev-issuer" ? ["dev-issuer", "--port", String(ports.issuer), "--state-dir", secrets.folder] : []
        return SupervisedService(
            name: name,
            command: Command("\(binaries)/\(program)", arguments, environment: environment, output: .file(log)),
            readyURL: readyURL(of: name), logFile: log)
    }

    private func readyURL(of name: String) -> String? {
        if name == "dev-issuer" { return "\(issuerURL)/.well-known/jwks.json" }
        return ports.health[name].map { "http://127.0.0.1:\($0)/health/ready" }
    }

    private func common(_ name: String) -> [String: String] {
        var environment = [
            "PATH": "/usr/local/bin:/usr/bin:/bin",
            "SIGHTSCREEN_RUN_DIR": state.run,
            "SIGHTSCREEN_STAND_INS": "1",
            "INSTANCE": name,
            "DATABASE_URL": databaseURL,
            "HEALTH_HOST": "127.0.0.1",
        ]
        environment["HEALTH_PORT"] = ports.health[name].map(String.init)
        environment["SIGHTSCREEN_STATE_DIR"] = state.path
        return environment
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
                "GATEWAY_HOST": "127.0.0.1", "GATEWAY_PORT": String(ports.gateway), "REPLAY_URL": providerURL,
                "COGNITO_ISSUER": issuerURL, "COGNITO_CLIENT_ID": DevelopmentSecrets.clientID,
                "TOKEN_KEY_FILE": secrets.tokenKeys,
            ]
        case "orchestrator":
            return provider.merging(
                timed(
                    "ORCHESTRATOR_INTERVAL", "RESULT_HOLD", "SPORTMONKS_HOURLY_LIMIT", "SUPER_OVER_WAIT",
                    "START_FALLBACK_WAIT", "ACTIVITY_RENEW_AFTER")
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
                "APNS_URL": "https://127.0.0.1:\(ports.apns)",
                "APNS_SANDBOX_URL": "https://127.0.0.1:\(ports.apnsSandbox)",
                "APNS_CA_FILE": secrets.certificate, "TOKEN_KEY_FILE": secrets.tokenKeys,
            ].merging(timed("KEEPALIVE_INTERVAL")) { _, new in new }
        case "apns-simulator":
            return [
                "APNS_SIMULATOR_HOST": "127.0.0.1",
                "APNS_SIMULATOR_PORT": String(ports.apns),
                "APNS_SIMULATOR_SANDBOX_PORT": String(ports.apnsSandbox),
                "APNS_SIMULATOR_CONTROL_PORT": String(ports.apnsControl),
                "APNS_SIMULATOR_CERTIFICATE_FILE": secrets.certificate,
                "APNS_SIMULATOR_KEY_FILE": secrets.certificateKey,
                "APNS_SIMULATOR_PUBLIC_KEY_FILE": secrets.apnsPublicKey,
                "APNS_KEY_ID": DevelopmentSecrets.keyID, "APNS_TEAM_ID": DevelopmentSecrets.teamID,
                "APNS_BUNDLE_ID": DevelopmentSecrets.bundleID,
            ]
        case "mock-sportmonks":
            return [
                "MOCK_SPORTMONKS_HOST": "127.0.0.1", "MOCK_SPORTMONKS_PORT": String(ports.provider),
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
