/// One setting as `--help` prints it. Reading a setting that is not described is a bug and stops the process.
public struct SettingDescription: Sendable {
    /// The name in the environment: `POLL_INTERVAL`. The flag is made from it: `--poll-interval`.
    public var name: String
    /// As it would be written; nil: there is none.
    public var `default`: String?
    /// What it does, in a sentence.
    public var help: String
    /// A secret may also be given as a file, by `NAME_FILE`.
    public var isSecret: Bool

    public init(name: String, default: String?, help: String, isSecret: Bool = false) {
        self.name = name
        self.default = `default`
        self.help = help
        self.isSecret = isSecret
    }

    /// The flag that goes in front of the variable `name`: `--poll-interval` for `POLL_INTERVAL`.
    public static func flag(for name: String) -> String {
        "--" + name.lowercased().map { $0 == "_" ? "-" : String($0) }.joined()
    }
}
