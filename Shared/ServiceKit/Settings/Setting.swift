import Tokens

/// One setting, declared once: reading it, `--help` and the page of settings all use this declaration. Reading a
/// setting that the service has not declared is a bug and stops the process.
public struct Setting: Sendable {
    /// The allowed values of a number or a duration.
    enum Range: Sendable {
        case int(ClosedRange<Int>)
        case duration(ClosedRange<Duration>)
    }

    /// The name in the environment, for example `POLL_INTERVAL`; the flag is made from it: `--poll-interval`.
    public let name: String
    /// The default as it would be written; nil: the setting is required; empty: there is no value.
    public let `default`: String?
    let range: Range?
    /// A sentence about what the setting does.
    public let help: String
    /// Whether the setting is a secret, which may also be given as a file, by `NAME_FILE`.
    public let isSecret: Bool

    /// Declares a text, a list, a URL, a file or a switch (`0`).
    public init(_ name: String, default: String?, isSecret: Bool = false, help: String) {
        self.init(name, default: `default`, range: nil, isSecret: isSecret, help: help)
    }

    /// Declares a whole number.
    public init(_ name: String, default: Int, in range: ClosedRange<Int>, help: String) {
        precondition(range.contains(`default`), "\(name): \(`default`) is not in its range")
        self.init(name, default: String(`default`), range: .int(range), help: help)
    }

    /// Declares a duration, as `DurationText` reads it.
    public init(_ name: String, default: Duration, in range: ClosedRange<Duration>, help: String) {
        precondition(range.contains(`default`), "\(name): \(`default`) is not in its range")
        self.init(name, default: DurationText.format(`default`), range: .duration(range), help: help)
    }

    private init(_ name: String, default: String?, range: Range?, isSecret: Bool = false, help: String) {
        self.name = name
        self.default = `default`
        self.range = range
        self.isSecret = isSecret
        self.help = help
    }

    /// The flag that overrides the variable: `--poll-interval` for `POLL_INTERVAL`.
    public var flag: String { "--" + name.lowercased().map { $0 == "_" ? "-" : String($0) }.joined() }

    /// The allowed range as it would be written; nil for a setting that is not a number or a duration.
    public var rangeText: String? {
        switch range {
        case .int(let range): "\(range.lowerBound) to \(range.upperBound)"
        case .duration(let range):
            DurationText.format(range.lowerBound) + " to " + DurationText.format(range.upperBound)
        case nil: nil
        }
    }
}

/// A setting as a service prints it for `sightscreen settings`.
public struct DeclaredSetting: Codable, Sendable {
    public var name: String
    public var `default`: String?
    public var range: String?
    public var help: String
    public var isSecret: Bool
}

/// The settings that several services read: one name, one default and one range for all.
extension Setting {
    public static let leaseDuration = Setting(
        "LEASE_DURATION", default: .seconds(8), in: .seconds(1) ... .seconds(60),
        help: "How long a dead process keeps its leases: poll groups, matches, shards, the orchestrator's.")
    public static let sportMonksToken = Setting(
        "SPORTMONKS_API_TOKEN", default: nil, isSecret: true, help: "The provider's API token.")
    public static let sportMonksURL = Setting(
        "SPORTMONKS_URL", default: "https://cricket.sportmonks.com/api/v2.0",
        help: "The provider's API, without a slash at the end.")
    public static let sportMonksHourlyLimit = Setting(
        "SPORTMONKS_HOURLY_LIMIT", default: 2_000, in: 0...1_000_000,
        help: "Calls per endpoint and hour, of all processes together; 0: no limit. The orchestrator uses half of them."
    )
    public static let resultHold = Setting(
        "RESULT_HOLD", default: .seconds(300), in: .zero ... .seconds(86_400),
        help: "How long an unclear result waits before the runs decide, and a result or stumps before the end.")
    public static let keepAliveInterval = Setting(
        "KEEPALIVE_INTERVAL", default: .seconds(1_200), in: .seconds(1) ... .seconds(86_400),
        help: "The longest time in play without a new version; an activity is stale 10 minutes after it.")
    public static let alertFreshness = Setting(
        "ALERT_FRESHNESS", default: .seconds(30), in: .seconds(1) ... .seconds(300),
        help: "An event that is older than this alerts no phone.")
    public static let followRetention = Setting(
        "FOLLOW_RETENTION", default: .seconds(172_800), in: .seconds(1) ... .seconds(31_536_000),
        help: "How long a follow outlives its match.")
    public static let startLease = Setting(
        "START_LEASE", default: .seconds(120), in: .seconds(15) ... .seconds(3_600),
        help: "How long a start waits for its activity's token before there may be another.")
    public static let dismissAfter = Setting(
        "DISMISS_AFTER", default: .seconds(900), in: .zero ... .seconds(14_400),
        help: "How long a finished match stays on the Lock Screen.")
    public static let broadcast = Setting(
        "BROADCAST", default: Broadcast.auto.rawValue,
        help: "auto or off: whether matches with many followers have broadcast channels, which iOS 18 can listen to.")
    /// The path that `Settings.tokenKeys()` reads.
    public static let tokenKeyFile = Setting(
        TokenKeyFile.setting, default: nil,
        help:
            "The keys that encrypt push tokens; only with SIGHTSCREEN_STAND_INS=1 may it be left out: tokens in clear.")
}

/// The values of `BROADCAST`.
public enum Broadcast: String, CaseIterable, Sendable {
    /// Channels are made and used.
    case auto
    /// No channel is made, and every activity has a token.
    case off
}
