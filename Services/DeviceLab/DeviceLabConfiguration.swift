public import ServiceKit
import Tapes

/// The settings of `device-lab`.
public struct DeviceLabConfiguration: Sendable {
    public var host = "127.0.0.1"
    /// The port; 0 takes a free one.
    public var port = 0
    /// The host names by which browsers may reach it, beside this machine's own.
    public var names: [String] = []
    /// The base URL of mock-sportmonks.
    public var provider: String
    /// The base URL of apns-simulator's control port.
    public var apns: String
    /// The base URL of the HTTP API; `issuer` is that of the development issuer.
    public var gateway = "http://127.0.0.1:8080"
    public var issuer = "http://127.0.0.1:8091"
    /// The number of iPhones.
    public var phones = 200
    /// The tape that plays by itself; nil for none.
    public var match: String?
    /// Seconds of the match per second. An hour of a phone's budgets passes as fast.
    public var speed = 40.0
    /// Whether the phones suspend their apps off the foreground, as iOS does.
    public var suspendsApps = false
    /// The variant of the tape, in which the provider misbehaves; `tapeSeed` seeds its random numbers.
    public var variant = "clean"
    public var tapeSeed: UInt64 = 1
    /// The seed of the phones' tokens and delays; nil takes another one each time.
    public var seed: UInt64?
    /// Base URLs of the health servers by stage; when empty, they are found in the run directory.
    public var stages: [String: [String]] = [:]
    /// The directory with the processes' addresses, in which the chosen port is written; nil for none.
    public var runDirectory: String?
    /// The pipeline's database, for the broadcast channels of a match; nil shows none.
    public var database: DatabaseSetting?

    package init(provider: String, apns: String) {
        self.provider = provider
        self.apns = apns
    }

    public static let service = ServiceDescription(
        name: "device-lab",
        summary: "Simulated iPhones for development, and a web page that shows their Lock Screens.",
        settings: [
            Setting("DEVICE_LAB_HOST", default: "127.0.0.1", help: "Address of the page."),
            Setting(
                "DEVICE_LAB_PORT", default: 8_090, in: 0...65_535,
                help: "Its port, plain HTTP. 0 takes a free one, which is written to "
                    + "SIGHTSCREEN_RUN_DIR/device-lab/ports.json."),
            Setting(
                "DEVICE_LAB_NAMES", default: "",
                help: "Names under which browsers may reach it, comma between; localhost and its addresses always."),
            Setting(
                "DEVICE_LAB_PROVIDER_URL", default: "http://127.0.0.1:2196",
                help: "mock-sportmonks, whose tapes the page controls."),
            Setting(
                "DEVICE_LAB_APNS_URL", default: "http://127.0.0.1:2199",
                help: "The control port of apns-simulator."),
            Setting(
                "DEVICE_LAB_GATEWAY_URL", default: "http://127.0.0.1:8080",
                help: "The HTTP API that the phones' apps call."),
            Setting(
                "DEVICE_LAB_ISSUER_URL", default: "http://127.0.0.1:8091",
                help: "sightscreen dev-issuer, which signs the phones' users in. The API must trust it."),
            Setting("DEVICE_LAB_PHONES", default: 200, in: 1...2_000, help: "How many iPhones, up to 2000."),
            Setting(
                "DEVICE_LAB_MATCH", default: "",
                help:
                    "The tape that is loaded, followed and played by itself. Without it nothing plays until the page says so."
            ),
            Setting(
                "DEVICE_LAB_SPEED", default: "40",
                help:
                    "How many times faster than real it plays, 1 to 1000. What a phone takes in an hour grows with it."),
            Setting(
                "DEVICE_LAB_VARIANT", default: "clean",
                help: "What the feed does wrong: a variant of `sightscreen tape`; DEVICE_LAB_TAPE_SEED decides when."),
            Setting("DEVICE_LAB_TAPE_SEED", default: 1, in: 0...Int(Int32.max), help: "See DEVICE_LAB_VARIANT."),
            Setting(
                "DEVICE_LAB_STAGES", default: "",
                help: "Health servers of the pipeline, like event-bus=http://10.0.0.7:9090, comma between; "
                    + "without it those that SIGHTSCREEN_RUN_DIR tells of."),
            Setting(
                "DATABASE_URL", default: "", isSecret: true,
                help:
                    "The pipeline's PostgreSQL. The page has a match's broadcast channels from it, and none without it."
            ),
        ], healthPort: 0, usesDatabase: false)

    /// Reads the settings.
    ///
    /// - Throws: `ConfigurationError`, also without `SIGHTSCREEN_STAND_INS=1`, because the lab is a stand-in.
    public init(_ settings: Settings) throws {
        guard try settings.standIns else {
            throw ConfigurationError(
                setting: "SIGHTSCREEN_STAND_INS", problem: "is not 1: device-lab is for development only")
        }
        provider = try settings.url("DEVICE_LAB_PROVIDER_URL").absoluteString
        apns = try settings.url("DEVICE_LAB_APNS_URL").absoluteString
        gateway = try settings.url("DEVICE_LAB_GATEWAY_URL").absoluteString
        issuer = try settings.url("DEVICE_LAB_ISSUER_URL").absoluteString
        phones = try settings.int("DEVICE_LAB_PHONES")
        match = try settings.optionalString("DEVICE_LAB_MATCH").flatMap { $0.isEmpty ? nil : $0 }
        if let match, !TapeCommand.isTape(match) {
            throw ConfigurationError(setting: "DEVICE_LAB_MATCH", problem: "\"\(match)\" is not the name of a tape")
        }
        let speed = try settings.string("DEVICE_LAB_SPEED")
        guard let value = Double(speed), (1...1_000).contains(value) else {
            throw ConfigurationError(setting: "DEVICE_LAB_SPEED", problem: "\"\(speed)\" is not between 1 and 1000")
        }
        self.speed = value
        variant = try settings.string("DEVICE_LAB_VARIANT")
        guard TapeVariant(rawValue: variant) != nil else {
            let names = TapeVariant.allCases.map(\.rawValue).joined(separator: ", ")
            throw ConfigurationError(setting: "DEVICE_LAB_VARIANT", problem: "\"\(variant)\" is none of \(names)")
        }
        tapeSeed = UInt64(try settings.int("DEVICE_LAB_TAPE_SEED"))
        host = try settings.string("DEVICE_LAB_HOST")
        guard host.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "/") }) else {
            throw ConfigurationError(setting: "DEVICE_LAB_HOST", problem: "\"\(host)\" is not an address")
        }
        port = try settings.int("DEVICE_LAB_PORT")
        names = try settings.list("DEVICE_LAB_NAMES")
        for name in names where name.contains(where: { "/:@".contains($0) }) {
            throw ConfigurationError(setting: "DEVICE_LAB_NAMES", problem: "\"\(name)\" is not the name of a host")
        }
        stages = try Self.stages(try settings.list("DEVICE_LAB_STAGES"))
        runDirectory = settings.runDirectory
        if try settings.optionalSecret("DATABASE_URL") != nil { database = try settings.database() }
    }

    private static func stages(_ entries: [String]) throws -> [String: [String]] {
        var stages: [String: [String]] = [:]
        for entry in entries {
            let parts = entry.split(separator: "=", maxSplits: 1).map(String.init)
            guard parts.count == 2, StageKind.all.contains(where: { $0.name == parts[0] }),
                parts[1].hasPrefix("http://") || parts[1].hasPrefix("https://")
            else {
                throw ConfigurationError(
                    setting: "DEVICE_LAB_STAGES", problem: "\"\(entry)\" is not like event-bus=http://host:port")
            }
            stages[parts[0], default: []].append(parts[1].last == "/" ? String(parts[1].dropLast()) : parts[1])
        }
        return stages
    }
}
