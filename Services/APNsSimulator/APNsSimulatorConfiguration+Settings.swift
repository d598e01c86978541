import FoundationEssentials
import HTTP2
public import ServiceKit
import SightscreenClientTesting
import SightscreenModels
import Tokens

extension APNsSimulatorConfiguration {
    /// How `apns-simulator` describes itself.
    public static let service = ServiceDescription(
        name: "apns-simulator",
        summary: "An APNs for development: checks what Apple checks, answers as Apple does, and logs what it was sent.",
        settings: [
            .init(name: "APNS_SIMULATOR_HOST", default: "127.0.0.1", help: "Address of its three ports."),
            .init(
                name: "APNS_SIMULATOR_PORT", default: "2197", help: "HTTP/2 over TLS: production. 0 takes a free one."),
            .init(
                name: "APNS_SIMULATOR_SANDBOX_PORT", default: "2198",
                help: "HTTP/2 over TLS: sandbox. 0 takes a free one."),
            .init(
                name: "APNS_SIMULATOR_CONTROL_PORT", default: "2199",
                help: "Plain HTTP: tokens, faults, deliveries. 0 takes a free one; all three are written to "
                    + "SIGHTSCREEN_RUN_DIR/apns-simulator/ports.json."),
            .init(name: "APNS_SIMULATOR_CERTIFICATE_FILE", default: nil, help: "PEM of its TLS certificate."),
            .init(name: "APNS_SIMULATOR_KEY_FILE", default: nil, help: "PEM of the certificate's key."),
            .init(
                name: "APNS_SIMULATOR_PUBLIC_KEY_FILE", default: nil,
                help: "PEM of the ES256 public key that provider tokens are checked with."),
            .init(
                name: "APNS_SIMULATOR_STREAMS", default: "1000",
                help: "Streams that a connection may have after its first valid request."),
            .init(
                name: "APNS_SIMULATOR_STREAMS_AFTER_REFUSAL", default: "0",
                help: "Streams that it may have after a refused push, until the next good one: Apple's habit is 1. "
                    + "0: as many as before."),
            .init(
                name: "APNS_SIMULATOR_ANSWER_DELAY", default: "0s",
                help: "How much later it answers each push; the push holds its part of the windows as long."),
            .init(
                name: "APNS_SIMULATOR_STREAM_WINDOW", default: "65535",
                help: "Bytes of flow control that one stream has."),
            .init(
                name: "APNS_SIMULATOR_CONNECTION_WINDOW", default: "65535",
                help: "The same for a whole connection."),
            .init(
                name: "APNS_SIMULATOR_UPDATE_BUDGET", default: "0",
                help: "Updates of priority 10 that a phone takes in an hour (200 all the same). 0: any number."),
            .init(
                name: "APNS_SIMULATOR_INFREQUENT_UPDATE_BUDGET", default: "0",
                help: "The same for a token that was registered with frequentPushes false."),
            .init(
                name: "APNS_SIMULATOR_START_BUDGET", default: "0",
                help: "Starts that a phone takes in an hour. 0: any number."),
            .init(
                name: "APNS_SIMULATOR_DELIVERIES", default: "200000",
                help: "Deliveries that are kept, the newest ones; about 130 bytes each, and their payloads where they "
                    + "differ."),
            .init(name: "APNS_KEY_ID", default: nil, help: "kid of a good provider token."),
            .init(name: "APNS_TEAM_ID", default: nil, help: "iss of a good provider token."),
            .init(name: "APNS_BUNDLE_ID", default: nil, help: "The app whose topics are taken."),
            .init(
                name: "APNS_ATTRIBUTES_TYPE", default: "LiveActivityAttributes",
                help: "The app's type: a phone drops a start that names another."),
        ], healthPort: 0, usesDatabase: false)

    /// Reads its settings. It is a stand-in: without `SIGHTSCREEN_STAND_INS=1` it refuses.
    public init(_ settings: Settings) throws {
        guard try settings.standIns else {
            throw ConfigurationError(
                setting: "SIGHTSCREEN_STAND_INS", problem: "is not 1: apns-simulator is for development only")
        }
        let certificate = try Self.file("APNS_SIMULATOR_CERTIFICATE_FILE", settings)
        let key = try Self.file("APNS_SIMULATOR_KEY_FILE", settings)
        let publicKey = "APNS_SIMULATOR_PUBLIC_KEY_FILE"
        let publicKeyPath = try Self.file(publicKey, settings)
        do {
            _ = try TLSConfiguration.server(certificateFile: certificate, keyFile: key).makeContext()
        } catch {
            throw ConfigurationError(setting: "APNS_SIMULATOR_CERTIFICATE_FILE", problem: "\(error)")
        }
        let pem: String
        do {
            pem = String(decoding: try Data(contentsOf: URL(filePath: publicKeyPath)), as: UTF8.self)
            _ = try ES256Verifier(pem: pem)
        } catch {
            throw ConfigurationError(
                setting: publicKey, problem: "\"\(publicKeyPath)\" is no ES256 public key: \(error)")
        }
        self.init(
            certificateFile: certificate, keyFile: key, publicKeyPEM: pem, keyID: try settings.string("APNS_KEY_ID"),
            teamID: try settings.string("APNS_TEAM_ID"), bundleID: try settings.string("APNS_BUNDLE_ID"))
        host = try settings.string("APNS_SIMULATOR_HOST", default: host)
        productionPort = try settings.int("APNS_SIMULATOR_PORT", default: 2_197, in: 0...65_535)
        sandboxPort = try settings.int("APNS_SIMULATOR_SANDBOX_PORT", default: 2_198, in: 0...65_535)
        controlPort = try settings.int("APNS_SIMULATOR_CONTROL_PORT", default: 2_199, in: 0...65_535)
        streamsMax = try settings.int("APNS_SIMULATOR_STREAMS", default: streamsMax, in: 1...100_000)
        let fewer = try settings.int("APNS_SIMULATOR_STREAMS_AFTER_REFUSAL", default: 0, in: 0...100_000)
        streamsAfterRefusal = fewer == 0 ? nil : fewer
        let delay = try settings.duration("APNS_SIMULATOR_ANSWER_DELAY", default: .zero, in: .zero ... .seconds(600))
        answerDelayMs = Int(delay / .milliseconds(1))
        streamWindowBytes = try Self.window("APNS_SIMULATOR_STREAM_WINDOW", streamWindowBytes, settings)
        connectionWindowBytes = try Self.window("APNS_SIMULATOR_CONNECTION_WINDOW", connectionWindowBytes, settings)
        budgets.immediate = try Self.budget("APNS_SIMULATOR_UPDATE_BUDGET", settings)
        budgets.immediateInfrequent = try Self.budget("APNS_SIMULATOR_INFREQUENT_UPDATE_BUDGET", settings)
        budgets.starts = try Self.budget("APNS_SIMULATOR_START_BUDGET", settings)
        deliveriesMax = try settings.int("APNS_SIMULATOR_DELIVERIES", default: deliveriesMax, in: 1...10_000_000)
        attributesType = try settings.string("APNS_ATTRIBUTES_TYPE", default: attributesType)
        runDirectory = settings.runDirectory
    }

    private static func window(_ name: String, _ usual: Int, _ settings: Settings) throws -> Int {
        // HTTP/2 has no larger ones; less than a push would never let one through.
        try settings.int(name, default: usual, in: 8_192...2_147_483_647)
    }

    private static func budget(_ name: String, _ settings: Settings) throws -> Int? {
        let perHour = try settings.int(name, default: 0, in: 0...1_000_000)
        return perHour == 0 ? nil : perHour
    }

    private static func file(_ name: String, _ settings: Settings) throws -> String {
        guard let path = try settings.optionalFile(name) else {
            throw ConfigurationError(setting: name, problem: "is required")
        }
        return path
    }
}
