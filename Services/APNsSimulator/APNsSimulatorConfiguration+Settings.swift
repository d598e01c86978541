import FoundationEssentials
import HTTP2
public import ServiceKit
import SightscreenClientTesting
import SightscreenModels
import Tokens

extension APNsSimulatorConfiguration {
    /// The simulator's description in help texts and logs.
    public static let service = ServiceDescription(
        name: "apns-simulator",
        summary: "An APNs for development: checks what Apple checks, answers as Apple does, and logs what it was sent.",
        settings: [
            Setting("APNS_SIMULATOR_HOST", default: "127.0.0.1", help: "Address of its five ports."),
            Setting(
                "APNS_SIMULATOR_PORT", default: 2_197, in: 0...65_535,
                help: "HTTP/2 over TLS: production. 0 takes a free one."),
            Setting(
                "APNS_SIMULATOR_SANDBOX_PORT", default: 2_198, in: 0...65_535,
                help: "HTTP/2 over TLS: sandbox. 0 takes a free one."),
            Setting(
                "APNS_SIMULATOR_MANAGEMENT_PORT", default: 2_200, in: 0...65_535,
                help: "HTTP/2 over TLS: channels of production are made and deleted here. 0 takes a free one."),
            Setting(
                "APNS_SIMULATOR_SANDBOX_MANAGEMENT_PORT", default: 2_201, in: 0...65_535,
                help: "The same for the sandbox."),
            Setting(
                "APNS_SIMULATOR_CONTROL_PORT", default: 2_199, in: 0...65_535,
                help: "Plain HTTP: tokens, faults, deliveries. 0 takes a free one; all five are written to "
                    + "SIGHTSCREEN_RUN_DIR/apns-simulator/ports.json."),
            Setting("APNS_SIMULATOR_CERTIFICATE_FILE", default: nil, help: "PEM of its TLS certificate."),
            Setting("APNS_SIMULATOR_KEY_FILE", default: nil, help: "PEM of the certificate's key."),
            Setting(
                "APNS_SIMULATOR_PUBLIC_KEY_FILE", default: nil,
                help: "PEM of the ES256 public key that provider tokens are checked with."),
            Setting(
                "APNS_SIMULATOR_STREAMS", default: 1_000, in: 1...100_000,
                help: "Streams that a connection may have after its first valid request."),
            Setting(
                "APNS_SIMULATOR_STREAMS_AFTER_REFUSAL", default: 0, in: 0...100_000,
                help: "Streams that it may have after a refused push, until the next good one: Apple's habit is 1. "
                    + "0: as many as before."),
            Setting(
                "APNS_SIMULATOR_ANSWER_DELAY", default: .zero, in: .zero ... .seconds(600),
                help: "How much later it answers each push; the push holds its part of the windows as long."),
            Setting(
                "APNS_SIMULATOR_STREAM_WINDOW", default: 65_535, in: windows,
                help: "Bytes of flow control that one stream has."),
            Setting(
                "APNS_SIMULATOR_CONNECTION_WINDOW", default: 65_535, in: windows,
                help: "The same for a whole connection."),
            Setting(
                "APNS_SIMULATOR_UPDATE_BUDGET", default: 0, in: budgets,
                help: "Updates of priority 10 that a phone takes in an hour (200 all the same). 0: any number."),
            Setting(
                "APNS_SIMULATOR_INFREQUENT_UPDATE_BUDGET", default: 0, in: budgets,
                help: "The same for a token that was registered with frequentPushes false."),
            Setting(
                "APNS_SIMULATOR_START_BUDGET", default: 0, in: budgets,
                help: "Starts that a phone has in store; they come back in 24 hours. 0: any number."),
            Setting(
                "APNS_SIMULATOR_DELIVERIES", default: 200_000, in: 1...10_000_000,
                help: "Deliveries that are kept, the newest ones; about 130 bytes each, and their payloads where they "
                    + "differ."),
            Setting(
                "APNS_SIMULATOR_CHANNELS", default: 10_000, in: 0...1_000_000,
                help: "Broadcast channels that the app may have in each environment."),
            Setting(
                "APNS_SIMULATOR_PUBLISH_BUDGET", default: 0, in: budgets,
                help: "Publishes that a channel takes in a minute; more get 429. 0: any number."),
            Setting(
                "APNS_SIMULATOR_RETRY_AFTER", default: .zero, in: .zero ... .seconds(600),
                help: "The Retry-After of those 429, in whole seconds. 0s: none, as Apple documents none."),
            Setting(
                "APNS_SIMULATOR_LOST_PERCENT", default: 0, in: 0...100,
                help: "How many of a hundred deliveries of a publish to phones get lost."),
            Setting(
                "APNS_SIMULATOR_STATE_DIR", default: "",
                help: "Folder in which channels survive a restart. Empty: they are kept in memory only."),
            Setting("APNS_KEY_ID", default: nil, help: "kid of a good provider token."),
            Setting("APNS_TEAM_ID", default: nil, help: "iss of a good provider token."),
            Setting("APNS_BUNDLE_ID", default: nil, help: "The app whose topics are taken."),
            Setting(
                "APNS_ATTRIBUTES_TYPE", default: "LiveActivityAttributes",
                help: "The app's type: a phone drops a start that names another."),
        ], healthPort: 0, usesDatabase: false)

    /// HTTP/2 has no larger windows, and a window smaller than a push would never let one through.
    private static let windows = 8_192...2_147_483_647
    private static let budgets = 0...1_000_000

    /// Reads the settings.
    ///
    /// - Throws: `ConfigurationError`, also without `SIGHTSCREEN_STAND_INS=1`, because the simulator is a stand-in.
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
        host = try settings.string("APNS_SIMULATOR_HOST")
        productionPort = try settings.int("APNS_SIMULATOR_PORT")
        sandboxPort = try settings.int("APNS_SIMULATOR_SANDBOX_PORT")
        managementPort = try settings.int("APNS_SIMULATOR_MANAGEMENT_PORT")
        sandboxManagementPort = try settings.int("APNS_SIMULATOR_SANDBOX_MANAGEMENT_PORT")
        controlPort = try settings.int("APNS_SIMULATOR_CONTROL_PORT")
        streamsMax = try settings.int("APNS_SIMULATOR_STREAMS")
        let fewer = try settings.int("APNS_SIMULATOR_STREAMS_AFTER_REFUSAL")
        streamsAfterRefusal = fewer == 0 ? nil : fewer
        let delay = try settings.duration("APNS_SIMULATOR_ANSWER_DELAY")
        answerDelayMs = Int(delay / .milliseconds(1))
        streamWindowBytes = try settings.int("APNS_SIMULATOR_STREAM_WINDOW")
        connectionWindowBytes = try settings.int("APNS_SIMULATOR_CONNECTION_WINDOW")
        budgets.immediate = try Self.budget("APNS_SIMULATOR_UPDATE_BUDGET", settings)
        budgets.immediateInfrequent = try Self.budget("APNS_SIMULATOR_INFREQUENT_UPDATE_BUDGET", settings)
        budgets.starts = try Self.budget("APNS_SIMULATOR_START_BUDGET", settings)
        channelsMax = try settings.int("APNS_SIMULATOR_CHANNELS")
        publishesPerMinute = try Self.budget("APNS_SIMULATOR_PUBLISH_BUDGET", settings)
        let retryAfter = try settings.duration("APNS_SIMULATOR_RETRY_AFTER")
        retryAfterSeconds = retryAfter == .zero ? nil : Int((retryAfter / .seconds(1)).rounded(.up))
        lostShare = Double(try settings.int("APNS_SIMULATOR_LOST_PERCENT")) / 100
        stateDirectory = try Self.stateDirectory(settings)
        deliveriesMax = try settings.int("APNS_SIMULATOR_DELIVERIES")
        attributesType = try settings.string("APNS_ATTRIBUTES_TYPE")
        runDirectory = settings.runDirectory
    }

    private static func budget(_ name: String, _ settings: Settings) throws -> Int? {
        let count = try settings.int(name)
        return count == 0 ? nil : count
    }

    private static func stateDirectory(_ settings: Settings) throws -> String? {
        let name = "APNS_SIMULATOR_STATE_DIR"
        guard let folder = try settings.optionalString(name) else { return nil }
        do {
            _ = try ChannelFile(folder: folder).lines()
        } catch {
            throw ConfigurationError(setting: name, problem: "\"\(folder)\" cannot be used: \(error)")
        }
        return folder
    }

    private static func file(_ name: String, _ settings: Settings) throws -> String {
        guard let path = try settings.optionalFile(name) else {
            throw ConfigurationError(setting: name, problem: "is required")
        }
        return path
    }
}
