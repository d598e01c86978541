import APNsProtocol
import FanOut
import HTTP2
import HTTPClient
public import ServiceKit
import SightscreenModels
import Store
import Tokens

/// The configuration of `la-coordinator`.
public struct LACoordinatorConfiguration: Sendable {
    /// The APNs hosts, and the credentials to push with.
    public struct APNs: Sendable {
        var signer: ES256Signer
        var keyID: String
        var teamID: String
        var bundleID: String
        var production: HTTP2Origin
        var sandbox: HTTP2Origin
        var tls: TLSContext
        var attributesType: String
        /// A provider token younger than this is never replaced, because APNs refuses more than one in 20 minutes.
        var tokenMinAge: Duration
    }

    /// The use of broadcast channels.
    struct Channels: Sendable {
        /// Whether channels are created and published to.
        var isOn: Bool
        /// Where the channels of each environment are managed.
        var urls: [APNsEnvironment: String]
        /// The PEM file with the roots to trust; nil for the system's.
        var caFile: String?
        var sweep: Sweep

        /// What is done with channels that no row names.
        enum Sweep: String, CaseIterable, Sendable { case report, delete }
    }

    public var database: DatabaseSetting
    public var instance: String
    var runDirectory: String
    var vault: TokenVault
    var apns: APNs
    var channels: Channels
    /// Starts a second, over all coordinators; 0 for no limit.
    var startRate: Int
    var startLease: Duration
    var alertFreshness: Duration
    var dismissAfter: Duration
    var leaseDuration: Duration
    /// Threads that push, each over its own connections.
    var threads: Int
    /// The longest time in a break for which `event-bus` commits no version.
    var keepAliveInterval: Duration
    /// The time between two audits of the activities in the loops.
    var auditInterval: Duration

    /// Reads and checks all settings and the files that they name.
    public init(_ settings: Settings) throws(ConfigurationError) {
        database = try settings.database()
        instance = settings.instance
        runDirectory = settings.runDirectory
        vault = TokenVault(try settings.tokenKeys())
        apns = try APNs(settings)
        channels = try Channels(settings)
        startRate = try settings.int("START_RATE")
        startLease = try settings.duration("START_LEASE")
        alertFreshness = try settings.duration("ALERT_FRESHNESS")
        dismissAfter = try settings.duration("DISMISS_AFTER")
        threads = try settings.int("PUSH_THREADS")
        leaseDuration = try settings.duration("LEASE_DURATION")
        keepAliveInterval = try settings.duration("KEEPALIVE_INTERVAL")
        auditInterval = try settings.duration("AUDIT_INTERVAL")
    }

    /// The service's name and its settings, each declared here or in `Setting`.
    public static let service = ServiceDescription(
        name: "la-coordinator",
        summary: "Pushes match updates to every follower's Live Activity through APNs.",
        settings: [
            Setting("APNS_KEY_FILE", default: nil, help: "Apple's .p8 key file (PKCS#8, P-256)."),
            .tokenKeyFile,
            Setting("APNS_KEY_ID", default: nil, help: "The key's id in Apple's portal."),
            Setting("APNS_TEAM_ID", default: nil, help: "The developer team's id."),
            Setting("APNS_BUNDLE_ID", default: nil, help: "The app's bundle id."),
            Setting(
                "APNS_URL", default: APNsEnvironment.production.url, help: "Where production tokens are pushed to."),
            Setting(
                "APNS_SANDBOX_URL", default: APNsEnvironment.sandbox.url,
                help: "Where the tokens of development builds are pushed to."),
            Setting("APNS_CA_FILE", default: "", help: "PEM with the roots to trust instead of the system's."),
            .broadcast,
            Setting(
                "APNS_MANAGE_URL", default: APNsEnvironment.production.channelsURL,
                help: "Where the channels of production builds are managed."),
            Setting(
                "APNS_SANDBOX_MANAGE_URL", default: APNsEnvironment.sandbox.channelsURL,
                help: "Where the channels of development builds are managed."),
            Setting(
                "CHANNEL_SWEEP", default: Channels.Sweep.report.rawValue,
                help: "report or delete: what is done with a channel that APNs lists and nothing here has made."),
            Setting(
                "APNS_ATTRIBUTES_TYPE", default: "LiveActivityAttributes",
                help: "The name of the app's ActivityAttributes type."),
            Setting(
                "APNS_TOKEN_MIN_AGE", default: .seconds(1_200), in: .zero ... .seconds(55 * 60),
                help: "No provider token is made before the last is this old."),
            Setting(
                "START_RATE", default: 5_000, in: 0...1_000_000,
                help: "Push-to-starts a second, all coordinators; 0 for no limit."),
            .startLease, .alertFreshness, .dismissAfter,
            Setting(
                "PUSH_THREADS", default: 2, in: 1...64,
                help: "Threads that push updates, each over connections of its own."),
            .leaseDuration, .keepAliveInterval,
            Setting(
                "AUDIT_INTERVAL", default: .seconds(60), in: .seconds(1) ... .seconds(3_600),
                help: "How often the activities in memory are compared with the table."),
        ], healthPort: 8095)
}

extension LACoordinatorConfiguration.APNs {
    init(_ settings: Settings) throws(ConfigurationError) {
        let key = try settings.secretFile("APNS_KEY_FILE")
        do { signer = try ES256Signer(pem: key.reveal()) } catch {
            throw ConfigurationError(setting: "APNS_KEY_FILE", problem: "holds no P-256 private key in PEM (.p8)")
        }
        keyID = try Self.identifier("APNS_KEY_ID", settings)
        teamID = try Self.identifier("APNS_TEAM_ID", settings)
        bundleID = try settings.string("APNS_BUNDLE_ID")
        guard bundleID.utf8.allSatisfy(Self.isBundleByte) else {
            throw ConfigurationError(setting: "APNS_BUNDLE_ID", problem: "\"\(bundleID)\" is not a bundle id")
        }
        production = try Self.origin("APNS_URL", settings)
        sandbox = try Self.origin("APNS_SANDBOX_URL", settings)
        let caFile = try settings.optionalFile("APNS_CA_FILE")
        do { tls = try TLSConfiguration.client(caFile: caFile).makeContext() } catch {
            throw ConfigurationError(setting: "APNS_CA_FILE", problem: error.message)
        }
        attributesType = try settings.string("APNS_ATTRIBUTES_TYPE")
        // A wrong type name starts nothing on any phone, and APNs does not report it.
        guard attributesType.allSatisfy({ $0.isLetter || $0.isNumber || $0 == "_" }),
            attributesType.first?.isNumber == false
        else {
            throw ConfigurationError(
                setting: "APNS_ATTRIBUTES_TYPE", problem: "\"\(attributesType)\" is not the name of a Swift type")
        }
        tokenMinAge = try settings.duration("APNS_TOKEN_MIN_AGE")
    }

    private static func identifier(_ name: String, _ settings: Settings) throws(ConfigurationError) -> String {
        let text = try settings.string(name)
        guard (1...32).contains(text.utf8.count), text.utf8.allSatisfy({ isBundleByte($0) && $0 != 0x2D && $0 != 0x2E })
        else { throw ConfigurationError(setting: name, problem: "\"\(text)\" is not an id of letters and digits") }
        return text
    }

    private static func isBundleByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."):
            true
        default: false
        }
    }

    /// Reads an APNs host. It must be Apple's, unless stand-ins are allowed, and is always reached over TLS.
    fileprivate static func origin(
        _ name: String, _ settings: Settings
    ) throws(ConfigurationError) -> HTTP2Origin {
        let url = try settings.url(name)
        guard url.scheme == "https", url.path.isEmpty else {
            throw ConfigurationError(setting: name, problem: "\"\(url)\" is not like https://host or https://host:port")
        }
        let allowsOthers: Bool
        do { allowsOthers = try settings.standIns } catch { allowsOthers = false }
        guard allowsOthers || APNsEnvironment.isApples(host: url.host) else {
            throw ConfigurationError(
                setting: name, problem: "\"\(url)\" is not Apple's; only SIGHTSCREEN_STAND_INS=1 allows another host")
        }
        return HTTP2Origin(host: url.host, port: url.port)
    }
}

extension LACoordinatorConfiguration.Channels {
    init(_ settings: Settings) throws(ConfigurationError) {
        let broadcast: Broadcast = try settings.choice("BROADCAST")
        isOn = broadcast == .auto
        caFile = try settings.optionalFile("APNS_CA_FILE")
        let production = try LACoordinatorConfiguration.APNs.origin("APNS_MANAGE_URL", settings)
        let sandbox = try LACoordinatorConfiguration.APNs.origin("APNS_SANDBOX_MANAGE_URL", settings)
        urls = [.production: "https://\(production)", .sandbox: "https://\(sandbox)"]
        sweep = try settings.choice("CHANNEL_SWEEP")
    }
}

extension ChannelManager {
    init(
        _ configuration: LACoordinatorConfiguration, _ calls: LastCalls,
        token: @escaping @Sendable () async throws -> String
    ) {
        self.init(
            client: HTTPClient(
                configuration: .init(
                    caFile: configuration.channels.caFile, onAnswer: { calls.record(.management, status: $0) })),
            bundleID: configuration.apns.bundleID, urls: configuration.channels.urls, token: token)
    }
}

extension FanOutLoops.Settings {
    init(_ configuration: LACoordinatorConfiguration, newFor: Duration) {
        let apns = configuration.apns
        self.init(
            origins: [.production: apns.production, .sandbox: apns.sandbox], tls: apns.tls, bundleID: apns.bundleID,
            threads: configuration.threads, freshness: Int(configuration.alertFreshness.components.seconds),
            keepAlive: Int(configuration.keepAliveInterval.components.seconds),
            newFor: Int(newFor.components.seconds))
    }
}
