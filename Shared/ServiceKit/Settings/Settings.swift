import Configuration
import FoundationEssentials
import Glibc
import Logging
public import Tokens

/// A service's settings: the environment, overridden by the flags of the command line. Every name that is read must be
/// among the service's settings, which hold its default and range; an empty value counts as not set.
///
/// The settings that every service has are checked at once, so that a malformed one is reported before anything starts.
public struct Settings: Sendable {
    public let service: ServiceDescription
    /// The folder of the Unix sockets of this host's services: absolute, and short enough for a socket path.
    public let runDirectory: String
    /// The name of this process among those of its service.
    public let instance: String
    let health: (host: String, port: Int, names: [String])
    let logLevel: Logger.Level
    let logFormat: LogFormat
    let traces: TraceSettings
    /// The secrets that were read so far.
    let secrets = SecretsRead()
    private let reader: ConfigReader
    private let allowsStandIns: Bool

    /// - Parameter arguments: the command line without the program's name.
    public init(
        environment: [String: String], arguments: [String], service: ServiceDescription
    ) throws(ConfigurationError) {
        let flags = try CommandLineFlags(arguments, service: service)
        try self.init(environment: environment, flags: flags, service: service)
    }

    init(
        environment: [String: String], flags: CommandLineFlags, service: ServiceDescription
    ) throws(ConfigurationError) {
        self.service = service
        try MisspeltSetting.refuse(in: environment, of: service)
        let reader = ConfigReader(providers: [
            EnvironmentVariablesProvider(environmentVariables: flags.values, secretsSpecifier: .all),
            EnvironmentVariablesProvider(
                environmentVariables: environment.filter { flags.values[$0.key] == nil }, secretsSpecifier: .all),
        ])
        self.reader = reader
        let raw = RawSettings(reader: reader, service: service)
        allowsStandIns = try raw.bool("SIGHTSCREEN_STAND_INS")
        instance = try raw.instance()
        runDirectory = try raw.runDirectory(environment: environment, instance: instance)
        health = (
            try Self.host("HEALTH_HOST", raw.value("HEALTH_HOST")), try raw.int("HEALTH_PORT"),
            try Self.list(raw.value("HEALTH_HOSTS")).map { name throws(ConfigurationError) in
                try Self.host("HEALTH_HOSTS", name)
            }
        )
        logLevel = try raw.oneOf("LOG_LEVEL", Logger.Level.allCases)
        logFormat = try raw.oneOf("LOG_FORMAT", LogFormat.allCases)
        traces = try raw.traces()
    }

    private var raw: RawSettings { RawSettings(reader: reader, service: service) }

    /// Whether http, private hosts and an APNs that is not Apple's are allowed: `SIGHTSCREEN_STAND_INS=1`.
    public var standIns: Bool { get throws(ConfigurationError) { allowsStandIns } }

    /// Returns the same for a tool without a service's settings.
    public static func standIns(_ environment: [String: String]) throws(ConfigurationError) -> Bool {
        let name = "SIGHTSCREEN_STAND_INS"
        guard let text = environment[name], !text.isEmpty else { return false }
        return try RawSettings.bool(name, text)
    }

    /// Returns the value as it was given, or the default.
    public func string(_ name: String) throws(ConfigurationError) -> String { try raw.value(name) }

    /// Returns one of the values of a type.
    public func choice<Value: RawRepresentable<String> & CaseIterable>(
        _ name: String
    ) throws(ConfigurationError) -> Value {
        try raw.oneOf(name, Array(Value.allCases))
    }

    /// Returns the value as it was given; nil if it was not.
    public func optionalString(_ name: String) throws(ConfigurationError) -> String? { try raw.string(name) }

    /// Returns a comma-separated list without empty parts; spaces around a part are dropped.
    public func list(_ name: String) throws(ConfigurationError) -> [String] { Self.list(try raw.value(name)) }

    private static func list(_ text: String) -> [String] {
        text.split(separator: ",").map { $0.trimmingPrefix { $0 == " " }.reversed().drop { $0 == " " }.reversed() }
            .map { String($0) }.filter { !$0.isEmpty }
    }

    /// Returns a required secret: `NAME`, or the content of the file that `NAME_FILE` names.
    public func secret(_ name: String) throws(ConfigurationError) -> Secret {
        guard let secret = try optionalSecret(name) else {
            throw ConfigurationError(
                setting: name, problem: "is required; set it, or \(name)_FILE to a file that holds it")
        }
        return secret
    }

    /// Returns a required secret that goes into a URL or a header: visible ASCII without spaces.
    public func tokenSecret(_ name: String) throws(ConfigurationError) -> Secret {
        let secret = try self.secret(name)
        guard secret.reveal().utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw ConfigurationError(
                setting: name, problem: "is not a token: there is a space or another odd character in it")
        }
        return secret
    }

    /// Returns an address or a host name to listen on.
    public func host(_ name: String) throws(ConfigurationError) -> String { try Self.host(name, raw.value(name)) }

    private static func host(_ name: String, _ text: String) throws(ConfigurationError) -> String {
        let isHost = text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"),
                UInt8(ascii: ":"), UInt8(ascii: "%"):
                true
            default: false
            }
        }
        guard isHost, text.utf8.count <= 253 else {
            throw ConfigurationError(setting: name, problem: "\"\(text)\" is not an address or a host name")
        }
        return text
    }

    public func optionalSecret(_ name: String) throws(ConfigurationError) -> Secret? {
        guard let secret = try raw.secret(name) else { return nil }
        if name != DatabaseSetting.name { secrets.note(secret, of: name) }
        return secret
    }

    /// Returns `DATABASE_URL` after checking its form, and that nothing travels to another machine unprotected.
    public func database() throws(ConfigurationError) -> DatabaseSetting {
        try DatabaseSetting(url: secret(DatabaseSetting.name), standIns: allowsStandIns)
    }

    /// Returns the path of a readable file as it was given (`APNS_CA_FILE`); the file is not read. Nil if it was not
    /// given.
    public func optionalFile(_ name: String) throws(ConfigurationError) -> String? {
        guard let path = try raw.string(name) else { return nil }
        guard access(path, R_OK) == 0 else {
            throw ConfigurationError(
                setting: name, problem: "\"\(path)\" cannot be read: \(String(cString: strerror(errno)))")
        }
        return path
    }

    /// Returns the content of a file that holds a secret, for a required setting that is itself the path
    /// (`APNS_KEY_FILE`).
    public func secretFile(_ name: String) throws(ConfigurationError) -> Secret {
        let secret = try SecretFile.read(path: raw.value(name), setting: name)
        secrets.note(secret, of: name)
        return secret
    }

    /// Returns the keys of `TOKEN_KEY_FILE`, which encrypt push tokens; nil without the setting, which only stand-ins
    /// may leave out.
    public func tokenKeys() throws(ConfigurationError) -> TokenKeyFile? {
        let name = Setting.tokenKeyFile.name
        guard let path = try raw.string(name) else {
            if allowsStandIns { return nil }
            throw ConfigurationError(setting: name, problem: "is required")
        }
        return try Self.tokenKeys(at: path)
    }

    /// Returns the keys of a file like that of `TOKEN_KEY_FILE`.
    package static func tokenKeys(at path: String) throws(ConfigurationError) -> TokenKeyFile {
        let name = Setting.tokenKeyFile.name
        do { return try TokenKeyFile { try SecretFile.read(path: path, setting: name).reveal() } } catch {
            if let error = error as? ConfigurationError { throw error }
            throw ConfigurationError(setting: name, problem: "\"\(path)\" \(error)")
        }
    }

    public func int(_ name: String) throws(ConfigurationError) -> Int { try raw.int(name) }

    public func bool(_ name: String) throws(ConfigurationError) -> Bool { try raw.bool(name) }

    /// Returns a duration, written like `5s`, `2.5s`, `250ms` or `7h45m`.
    public func duration(_ name: String) throws(ConfigurationError) -> Duration { try raw.duration(name) }

    /// Returns a URL. It must be https with a host that the Internet can reach, unless stand-ins are allowed.
    public func url(_ name: String) throws(ConfigurationError) -> ServiceURL { try url(name, raw.value(name)) }

    /// Returns a URL like `url`; nil if the setting was not given.
    public func optionalURL(_ name: String) throws(ConfigurationError) -> ServiceURL? {
        guard let text = try raw.string(name) else { return nil }
        return try url(name, text)
    }

    private func url(_ name: String, _ text: String) throws(ConfigurationError) -> ServiceURL {
        do {
            return try ServiceURL(text, standIns: allowsStandIns)
        } catch {
            throw ConfigurationError(setting: name, problem: error.text)
        }
    }
}
