public import ServiceKit
public import Tapes

/// The settings of `mock-sportmonks`.
public struct MockSportMonksConfiguration: Sendable {
    public var host = "127.0.0.1"
    /// The port; 0 takes a free one.
    public var port = 0
    /// The folder of Cricsheet's JSON files, each named after its match, and of recorded tapes.
    public var tapes: String
    /// The token that callers must send as `api_token`.
    public var token: Secret
    /// A tape to play from the start.
    public var load: String?
    /// The way in which the provider misbehaves on it, and the seed of its random numbers.
    public var variant = TapeVariant.clean
    public var seed: UInt64 = 0
    public var speed = 1.0
    public var lead: Duration = .zero
    /// Calls an hour and endpoint; 0 for no limit.
    public var hourlyLimit = 0
    /// The directory in which the chosen port is written; nil writes none.
    public var runDirectory: String?

    package init(tapes: String, token: Secret) {
        self.tapes = tapes
        self.token = token
    }

    public static let service = ServiceDescription(
        name: "mock-sportmonks",
        summary: "A SportMonks for development: plays real matches in the provider's shape, with faults on request.",
        settings: [
            Setting("MOCK_SPORTMONKS_HOST", default: "127.0.0.1", help: "Address of the API and its control port."),
            Setting(
                "MOCK_SPORTMONKS_PORT", default: 2_196, in: 0...65_535,
                help: "Plain HTTP: /api/v2.0 and /control. 0 takes a free one, which is written to "
                    + "SIGHTSCREEN_RUN_DIR/mock-sportmonks/ports.json."),
            Setting(
                "MOCK_SPORTMONKS_TAPES", default: nil,
                help: "Folder of Cricsheet matches (ID.json) and recorded tapes (NAME.tape)."),
            Setting(
                "MOCK_SPORTMONKS_TOKEN", default: nil, isSecret: true, help: "The api_token that callers must give."),
            Setting("MOCK_SPORTMONKS_LOAD", default: "", help: "The id of a tape to play from the start."),
            Setting(
                "MOCK_SPORTMONKS_VARIANT", default: "clean",
                help: "How the provider misbehaves on it: "
                    + TapeVariant.allCases.map(\.rawValue).joined(separator: ", ") + "."),
            Setting(
                "MOCK_SPORTMONKS_SEED", default: 0, in: 0...Int.max, help: "What the variant's randomness begins with."),
            Setting("MOCK_SPORTMONKS_SPEED", default: "1", help: "Its speed: seconds of the match per second."),
            Setting(
                "MOCK_SPORTMONKS_LEAD", default: .zero, in: .zero ... .seconds(7 * 86_400),
                help: "How long after the start its play starts."),
            Setting(
                "MOCK_SPORTMONKS_HOURLY_LIMIT", default: 0, in: 0...1_000_000,
                help: "Calls an hour and endpoint before 429 is answered; 0 for no limit."),
        ], healthPort: 0, usesDatabase: false)

    /// Reads the settings.
    ///
    /// - Throws: `ConfigurationError`, also without `SIGHTSCREEN_STAND_INS=1`, because the service is a stand-in.
    public init(_ settings: Settings) throws {
        guard try settings.standIns else {
            throw ConfigurationError(
                setting: "SIGHTSCREEN_STAND_INS", problem: "is not 1: mock-sportmonks is for development only")
        }
        tapes = try settings.string("MOCK_SPORTMONKS_TAPES")
        guard TapeLibrary.isFolder(tapes) else {
            throw ConfigurationError(setting: "MOCK_SPORTMONKS_TAPES", problem: "\"\(tapes)\" is not a folder")
        }
        token = try settings.secret("MOCK_SPORTMONKS_TOKEN")
        host = try settings.string("MOCK_SPORTMONKS_HOST")
        port = try settings.int("MOCK_SPORTMONKS_PORT")
        load = try settings.optionalString("MOCK_SPORTMONKS_LOAD")
        let name = try settings.string("MOCK_SPORTMONKS_VARIANT")
        guard let variant = TapeVariant(rawValue: name) else {
            throw ConfigurationError(
                setting: "MOCK_SPORTMONKS_VARIANT",
                problem: "\"\(name)\" is none of \(TapeVariant.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        self.variant = variant
        seed = UInt64(try settings.int("MOCK_SPORTMONKS_SEED"))
        let text = try settings.string("MOCK_SPORTMONKS_SPEED")
        guard let speed = Double(text), MatchPlayer.speeds.contains(speed) else {
            throw ConfigurationError(
                setting: "MOCK_SPORTMONKS_SPEED",
                problem:
                    "\"\(text)\" is not a number from \(MatchPlayer.speeds.lowerBound) to \(MatchPlayer.speeds.upperBound)"
            )
        }
        self.speed = speed
        lead = try settings.duration("MOCK_SPORTMONKS_LEAD")
        hourlyLimit = try settings.int("MOCK_SPORTMONKS_HOURLY_LIMIT")
        runDirectory = settings.runDirectory
        if let load, !TapeLibrary(folder: tapes).has(load) {
            throw ConfigurationError(
                setting: "MOCK_SPORTMONKS_LOAD",
                problem: "there is no \(load).json or \(load).tape in MOCK_SPORTMONKS_TAPES")
        }
    }
}
