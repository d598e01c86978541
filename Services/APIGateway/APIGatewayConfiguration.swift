public import ServiceKit
import SightscreenModels
import Store

/// The gateway's settings. They are read and checked once, at the start.
public struct APIGatewayConfiguration: Sendable {
    public var database: DatabaseSetting
    var instance: String
    var runDirectory: String
    var vault: TokenVault
    /// The required value of the claim `iss`.
    public var issuer: String
    public var clientIDs: Set<String>
    /// The URL of the issuer's key set; as a setting it is `{issuer}/.well-known/jwks.json` unless another is given.
    public var jwksURL: String
    /// Whether `jwksURL` may use plain http.
    public var allowsHTTP: Bool
    /// The key of servers that administer; with nil only administrators' tokens are accepted.
    var apiKey: APIKey?
    public var host: String
    public var port: Int
    var trustedProxies: TrustedProxies
    /// In seconds, as are the two below.
    public var followRetention: Int
    public var startLease: Int
    public var dismissAfter: Int
    var appConfig: AppConfig
    /// The operator's factor on the limits of `RateLimit`; 0 turns them off.
    public var rateLimitFactor: Int
    /// The URL of mock-sportmonks, which plays replays; with nil `/admin/replay` answers 404.
    var replayURL: String?

    /// The gateway's name and settings, each declared here or in `Setting`.
    public static let service = ServiceDescription(
        name: "api-gateway", summary: "The HTTP API: follows, devices, tokens, schedule, match state.",
        settings: [
            Setting("COGNITO_ISSUER", default: nil, help: "The user pool's URL; a token's iss must equal it."),
            Setting(
                "COGNITO_CLIENT_ID", default: nil, help: "The app clients whose tokens are taken, separated by commas."
            ),
            Setting(
                "COGNITO_JWKS_URL", default: "{issuer}/.well-known/jwks.json", help: "Where the pool's keys are."),
            Setting(
                "ADMIN_API_KEY", default: "", isSecret: true,
                help:
                    "What servers send as X-API-Key to administer: 32 characters or more, 16 different; empty: no key."
            ),
            .tokenKeyFile,
            Setting("GATEWAY_HOST", default: "127.0.0.1", help: "The address to listen on."),
            Setting("GATEWAY_PORT", default: 8_080, in: 0...65_535, help: "The port to listen on; 0 for any free one."),
            Setting(
                "TRUSTED_PROXIES", default: "none",
                help: "Addresses or CIDR blocks whose X-Forwarded-For is believed, separated by commas."),
            Setting("MIN_APP_VERSION", default: "1.0.0", help: "Below it the app asks for an update (1.2.3)."),
            Setting("STORE_URL", default: "https://apps.apple.com", help: "Where the app is updated."),
            Setting("MAINTENANCE_MODE", default: "0", help: "The app shows its maintenance screen."),
            Setting(
                "RATE_LIMIT_FACTOR", default: 1, in: 0...1_000,
                help: "Times the rate limits of users, phones and addresses; 0: none."),
            Setting(
                "REPLAY_URL", default: "none",
                help: "mock-sportmonks, for /admin/replay; only with SIGHTSCREEN_STAND_INS=1."
            ),
            .followRetention, .startLease, .dismissAfter,
        ], healthPort: 8091)

    /// - Throws: `ConfigurationError`, which names the setting.
    public init(_ settings: Settings) throws(ConfigurationError) {
        database = try settings.database()
        instance = settings.instance
        runDirectory = settings.runDirectory
        vault = TokenVault(try settings.tokenKeys())
        let pool = try settings.url("COGNITO_ISSUER")
        // The issuer is kept as it was written, because a token's `iss` is compared with it letter for letter.
        issuer = try settings.string("COGNITO_ISSUER")
        jwksURL =
            try settings.optionalURL("COGNITO_JWKS_URL")?.absoluteString ?? pool.appending("/.well-known/jwks.json")
        _ = try settings.string("COGNITO_CLIENT_ID")
        clientIDs = Set(try settings.list("COGNITO_CLIENT_ID"))
        guard !clientIDs.isEmpty, clientIDs.allSatisfy({ Identifier.isShortText($0) && !$0.contains(" ") }) else {
            throw ConfigurationError(setting: "COGNITO_CLIENT_ID", problem: "is not a list of client ids")
        }
        allowsHTTP = jwksURL.hasPrefix("http://")
        if let secret = try settings.optionalSecret("ADMIN_API_KEY") {
            apiKey = try APIKey(name: "admin", secret: secret, setting: "ADMIN_API_KEY")
        }
        host = try settings.host("GATEWAY_HOST")
        port = try settings.int("GATEWAY_PORT")
        trustedProxies = try Self.proxies(settings)
        followRetention = try Self.seconds("FOLLOW_RETENTION", settings)
        startLease = try Self.seconds("START_LEASE", settings)
        dismissAfter = try Self.seconds("DISMISS_AFTER", settings)
        rateLimitFactor = try settings.int("RATE_LIMIT_FACTOR")
        replayURL = try settings.optionalURL("REPLAY_URL")?.absoluteString
        // Replays are for demonstrations only. The setting's form is checked first, so a malformed value is named as
        // such.
        if replayURL != nil, try !settings.standIns {
            throw ConfigurationError(setting: "REPLAY_URL", problem: "is only allowed with SIGHTSCREEN_STAND_INS=1")
        }
        let minimum = try settings.string("MIN_APP_VERSION")
        guard TextForm.version.accepts(minimum) else {
            throw ConfigurationError(setting: "MIN_APP_VERSION", problem: "\"\(minimum)\" is not a version like 1.2.3")
        }
        appConfig = AppConfig(
            minAppVersion: minimum,
            storeUrl: try settings.url("STORE_URL").absoluteString,
            maintenanceMode: try settings.bool("MAINTENANCE_MODE"))
    }

    private static func proxies(_ settings: Settings) throws(ConfigurationError) -> TrustedProxies {
        var blocks: [AddressBlock] = []
        let texts = try settings.list("TRUSTED_PROXIES")
        if texts == ["none"] { return .none }
        for text in texts {
            guard let block = AddressBlock(text) else {
                throw ConfigurationError(
                    setting: "TRUSTED_PROXIES", problem: "\"\(text)\" is not an address or a block like 10.0.0.0/8")
            }
            blocks.append(block)
        }
        return TrustedProxies(blocks)
    }

    private static func seconds(_ name: String, _ settings: Settings) throws(ConfigurationError) -> Int {
        Int(try settings.duration(name).components.seconds)
    }
}
