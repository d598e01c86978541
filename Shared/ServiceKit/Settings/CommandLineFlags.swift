/// The command line's flags as settings: `--poll-interval 2s` and `--poll-interval=2s` set `POLL_INTERVAL`.
/// swift-configuration's own reader of flags cuts values at commas and accepts unknown flags, so flags are read here
/// and passed to it by name.
struct CommandLineFlags {
    var values: [String: String] = [:]
    var wantsHelp = false
    var wantsVersion = false
    /// Whether all settings are to be printed as JSON, for `sightscreen settings`.
    var wantsSettings = false

    /// - Parameter arguments: the arguments without the program's name.
    init(_ arguments: [String], service: ServiceDescription) throws(ConfigurationError) {
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            if argument == "--help" || argument == "-h" {
                wantsHelp = true
            } else if argument == "--version" {
                wantsVersion = true
            } else if argument == "--settings" {
                wantsSettings = true
            } else {
                let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                let flag = String(parts[0])
                // The flag of a folder may leave out the suffix: `--record` is `RECORD_DIR`.
                let names = Self.setting(of: flag).map { [$0, $0 + "_DIR"] } ?? []
                guard let name = names.first(where: service.knows) else {
                    throw ConfigurationError(
                        setting: flag, problem: "is not a flag of \(service.name); --help lists them")
                }
                if parts.count == 2 {
                    values[name] = String(parts[1])
                } else if let value = rest.popFirst() {
                    values[name] = value
                } else {
                    throw ConfigurationError(setting: name, problem: "\(flag) needs a value")
                }
            }
        }
    }

    private static func setting(of flag: String) -> String? {
        guard flag.hasPrefix("--"), !flag.contains("_"), flag == flag.lowercased() else { return nil }
        return flag.dropFirst(2).map { $0 == "-" ? "_" : $0.uppercased() }.joined()
    }
}
