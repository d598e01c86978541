/// What a service says about itself: drives `--help` and decides which flags exist.
public struct ServiceDescription: Sendable {
    /// As in DESIGN: `score-poller`.
    public var name: String
    /// One sentence for `--help`.
    public var summary: String
    /// The service's own settings and those that every service has.
    public var settings: [SettingDescription]
    /// HEALTH_PORT when it is not set; 0 takes any free port.
    public var healthPort: Int

    /// - Parameters:
    ///   - settings: the service's own; those every service has are added.
    ///   - usesDatabase: whether `DATABASE_URL` is one of them.
    public init(
        name: String, summary: String, settings: [SettingDescription], healthPort: Int = 0, usesDatabase: Bool = true
    ) {
        self.name = name
        self.summary = summary
        self.healthPort = healthPort
        let database = usesDatabase ? [Self.databaseSetting] : []
        self.settings = settings + database + Self.commonSettings(healthPort: healthPort)
    }

    /// Whether a setting of that name may be read: a described one, or the `_FILE` form of a secret.
    func knows(_ name: String) -> Bool {
        settings.contains { $0.name == name || ($0.isSecret && "\($0.name)_FILE" == name) }
    }

    /// What `--help` prints.
    public var help: String {
        var lines = [
            "\(name): \(summary)", "",
            "Settings are read from the environment. A flag goes in front of it: \(exampleFlag).",
            "A secret NAME can also be given as the path of a file, NAME_FILE. Durations are written like 5s, 2.5s or 7h45m.",
            "",
        ]
        for setting in settings {
            let fallback = setting.default.map { $0.isEmpty ? "optional" : "default \($0)" } ?? "required"
            lines.append("  \(setting.name)\(setting.isSecret ? " or \(setting.name)_FILE" : "") (\(fallback))")
            lines.append("      \(setting.help)")
        }
        lines += ["", "  --help, --version", "      Print this, or the version, and end.", ""]
        return lines.joined(separator: "\n")
    }

    private var exampleFlag: String {
        let example = settings.first { $0.default?.isEmpty == false } ?? settings[0]
        return "\(SettingDescription.flag(for: example.name)) \(example.default ?? "…") is \(example.name)"
    }

    private static let databaseSetting = SettingDescription(
        name: "DATABASE_URL", default: nil,
        help:
            "PostgreSQL: postgresql://user@/name?host=/folder/of/the/socket, or on another machine postgresql://user:password@host:5432/name?sslmode=verify-full&sslrootcert=FILE.",
        isSecret: true)

    private static func commonSettings(healthPort: Int) -> [SettingDescription] {
        [
            SettingDescription(
                name: "SIGHTSCREEN_RUN_DIR", default: "$XDG_RUNTIME_DIR/sightscreen, else /tmp/sightscreen-UID",
                help: "Folder of the Unix sockets through which the services of one host talk; mode 0700."),
            SettingDescription(
                name: "INSTANCE", default: "HOSTNAME-PID",
                help: "This process among those of its service: letters, digits, _ and -, at most 32."),
            SettingDescription(
                name: "HEALTH_HOST", default: "127.0.0.1", help: "Address of /health/live, /health/ready and /metrics."),
            SettingDescription(
                name: "HEALTH_PORT", default: String(healthPort),
                help:
                    "Its port; 0 takes a free one, logs it at the start and writes it to SIGHTSCREEN_RUN_DIR/SERVICE/INSTANCE.health."
            ),
            SettingDescription(
                name: "LOG_LEVEL", default: "info", help: "trace, debug, info, notice, warning, error or critical."),
            SettingDescription(
                name: "LOG_FORMAT", default: "text",
                help: "text, or json for one JSON object a line; to standard error."),
            SettingDescription(
                name: "SIGHTSCREEN_STAND_INS", default: "0",
                help:
                    "1 allows http, private hosts, a database without TLS, an APNs that is not Apple's. Never set it in production."
            ),
        ] + TraceSettings.descriptions
    }
}
