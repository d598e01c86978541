import FoundationEssentials

/// A service's description of itself: `--help` prints it, and it decides which flags exist.
public struct ServiceDescription: Sendable {
    /// The executable's name, for example `score-poller`.
    public var name: String
    /// One sentence for `--help`.
    public var summary: String
    /// The service's own settings and those that every service has.
    public var settings: [Setting]
    /// The default of `HEALTH_PORT`; 0 takes any free port.
    public var healthPort: Int

    /// - Parameters:
    ///   - settings: the service's own settings; those of every service are added.
    ///   - usesDatabase: whether `DATABASE_URL` is one of them.
    public init(
        name: String, summary: String, settings: [Setting], healthPort: Int = 0, usesDatabase: Bool = true
    ) {
        self.name = name
        self.summary = summary
        self.healthPort = healthPort
        let database = usesDatabase ? [Self.databaseSetting] : []
        self.settings = settings + database + Self.commonSettings(healthPort: healthPort)
    }

    /// Whether a setting of this name may be read: a declared one, or the `_FILE` form of a secret.
    func knows(_ name: String) -> Bool {
        settings.contains { $0.name == name || ($0.isSecret && "\($0.name)_FILE" == name) }
    }

    /// The declaration of a setting; nil if the service has none of this name.
    subscript(name: String) -> Setting? { settings.first { $0.name == name } }

    /// The text that `--help` prints.
    public var help: String {
        var lines = [
            "\(name): \(summary)", "",
            "Settings are read from the environment. A flag goes in front of it: \(exampleFlag).",
            "A secret NAME can also be given as the path of a file, NAME_FILE. Durations are written like 5s, 2.5s or 7h45m.",
            "",
        ]
        for setting in settings {
            let fallback = setting.default.map { $0.isEmpty ? "optional" : "default \($0)" } ?? "required"
            let range = setting.rangeText.map { "; \($0)" } ?? ""
            lines.append("  \(setting.name)\(setting.isSecret ? " or \(setting.name)_FILE" : "") (\(fallback)\(range))")
            lines.append("      \(setting.help)")
        }
        lines += ["", "  --help, --version", "      Print this, or the version, and end.", ""]
        return lines.joined(separator: "\n")
    }

    /// Returns the text that `--settings` prints.
    func settingsAsJSON() throws -> String {
        let declared = settings.map {
            DeclaredSetting(
                name: $0.name, default: $0.default, range: $0.rangeText, help: $0.help, isSecret: $0.isSecret)
        }
        return String(decoding: try JSONEncoder().encode(declared), as: UTF8.self)
    }

    private var exampleFlag: String {
        let example = settings.first { $0.default?.isEmpty == false } ?? settings[0]
        return "\(example.flag) \(example.default ?? "…") is \(example.name)"
    }

    private static let databaseSetting = Setting(
        "DATABASE_URL", default: nil, isSecret: true,
        help:
            "PostgreSQL: postgresql://user@/name?host=/folder/of/the/socket, or on another machine postgresql://user:password@host:5432/name?sslmode=verify-full&sslrootcert=FILE. Of several hosts (host1,host2) the first whose sessions can write is used."
    )

    private static func commonSettings(healthPort: Int) -> [Setting] {
        [
            Setting(
                "SIGHTSCREEN_RUN_DIR", default: "$XDG_RUNTIME_DIR/sightscreen, else /tmp/sightscreen-UID",
                help: "Folder of the Unix sockets through which the services of one host talk; mode 0700."),
            Setting(
                "INSTANCE", default: "HOSTNAME-PID",
                help: "This process among those of its service: letters, digits, _ and -, at most 32."),
            Setting(
                "HEALTH_HOST", default: "127.0.0.1", help: "Address of /health/live, /health/ready and /metrics."),
            Setting(
                "HEALTH_PORT", default: healthPort, in: 0...65_535,
                help:
                    "Its port; 0 takes a free one, logs it at the start and writes it to SIGHTSCREEN_RUN_DIR/SERVICE/INSTANCE.health."
            ),
            Setting(
                "HEALTH_HOSTS", default: "",
                help:
                    "Comma-separated names under which it answers besides addresses, localhost, the host's own name and names without a dot."
            ),
            Setting("LOG_LEVEL", default: "info", help: "trace, debug, info, notice, warning, error or critical."),
            Setting(
                "LOG_FORMAT", default: "text", help: "text, or json for one JSON object a line; to standard error."),
            Setting(
                "SIGHTSCREEN_STAND_INS", default: "0",
                help:
                    "1 allows http, private hosts, a database without TLS, an APNs that is not Apple's. Never set it in production."
            ),
        ] + TraceSettings.settings
    }
}
