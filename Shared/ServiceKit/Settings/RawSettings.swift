import Configuration
import Glibc
import Logging

/// Reads one setting at a time from swift-configuration and says what is wrong with it.
struct RawSettings {
    let reader: ConfigReader
    let service: ServiceDescription

    /// Returns the value as it was given; nil if it was not. An empty value counts as not given.
    func string(_ name: String) throws(ConfigurationError) -> String? {
        precondition(service.knows(name), "\(name) is read by \(service.name) but not among its settings")
        let key = ConfigKey(name.lowercased().split(separator: "_").map(String.init))
        guard let value = reader.string(forKey: key, isSecret: true), !value.isEmpty else { return nil }
        return value
    }

    func secret(_ name: String) throws(ConfigurationError) -> Secret? {
        let file = "\(name)_FILE"
        let (value, path) = (try string(name), try string(file))
        if value != nil, path != nil {
            throw ConfigurationError(setting: name, problem: "is set, and \(file) too; set one of them")
        }
        if let path { return try SecretFile.read(path: path, setting: file) }
        return value.map(Secret.init)
    }
    /// Returns the given value, or the default.
    func value(_ name: String) throws(ConfigurationError) -> String {
        if let text = try string(name) { return text }
        guard let text = service[name]?.default else {
            throw ConfigurationError(setting: name, problem: "is required")
        }
        return text
    }

    func int(_ name: String) throws(ConfigurationError) -> Int {
        guard case .int(let range) = service[name]?.range else { preconditionFailure("\(name) is no whole number") }
        let text = try value(name)
        guard let number = Int(text), range.contains(number) else {
            throw ConfigurationError(
                setting: name,
                problem: "\"\(text)\" is not a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    func duration(_ name: String) throws(ConfigurationError) -> Duration {
        guard case .duration(let range) = service[name]?.range else { preconditionFailure("\(name) is no duration") }
        let text = try value(name)
        guard let duration = DurationText.parse(text) else {
            throw ConfigurationError(
                setting: name, problem: "\"\(text)\" is not a duration; write it like 5s, 2.5s or 7h45m")
        }
        guard range.contains(duration) else {
            let (low, high) = (DurationText.format(range.lowerBound), DurationText.format(range.upperBound))
            throw ConfigurationError(setting: name, problem: "\"\(text)\" is not between \(low) and \(high)")
        }
        return duration
    }

    func bool(_ name: String) throws(ConfigurationError) -> Bool { try Self.bool(name, value(name)) }

    static func bool(_ name: String, _ text: String) throws(ConfigurationError) -> Bool {
        switch text.lowercased() {
        case "1", "true", "yes", "on": return true
        case "0", "false", "no", "off": return false
        default: throw ConfigurationError(setting: name, problem: "\"\(text)\" is neither 1 nor 0")
        }
    }

    func oneOf<Value: RawRepresentable<String>>(
        _ name: String, _ values: [Value]
    ) throws(ConfigurationError) -> Value {
        let text = try value(name)
        guard let value = values.first(where: { $0.rawValue == text.lowercased() }) else {
            let list = values.map(\.rawValue).joined(separator: ", ")
            throw ConfigurationError(setting: name, problem: "\"\(text)\" is not one of \(list)")
        }
        return value
    }

    func instance() throws(ConfigurationError) -> String {
        func isAllowed(_ byte: UInt8) -> Bool {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "_"), UInt8(ascii: "-"):
                true
            default: false
            }
        }
        guard let name = try string("INSTANCE") else {
            var buffer = [CChar](repeating: 0, count: 256)
            gethostname(&buffer, buffer.count - 1)
            let host = buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }.map {
                isAllowed($0) ? $0 : UInt8(ascii: "-")
            }
            return "\(Self.short(host))-\(getpid())"
        }
        guard (1...32).contains(name.utf8.count), name.utf8.allSatisfy(isAllowed) else {
            throw ConfigurationError(
                setting: "INSTANCE", problem: "\"\(name)\" is not 1 to 32 letters, digits, _ and -")
        }
        return name
    }

    /// Shortens a host's name. Names of pods differ in their last letters, so in a long name a hash stands for all of
    /// it.
    static func short(_ host: [UInt8]) -> String {
        guard host.count > 20 else { return String(decoding: host, as: UTF8.self) }
        // The hash is FNV-1a.
        let hash = host.reduce(UInt64(0xcbf2_9ce4_8422_2325)) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
        let digits = String(hash, radix: 36)
        return "\(String(decoding: host.prefix(11), as: UTF8.self))-\(digits.suffix(8))"
    }

    func runDirectory(environment: [String: String], instance: String) throws(ConfigurationError) -> String {
        let name = "SIGHTSCREEN_RUN_DIR"
        var folder = try string(name) ?? RunDirectory.default(environment: environment)
        while folder.count > 1, folder.last == "/" { folder.removeLast() }
        guard folder.first == "/" else {
            throw ConfigurationError(setting: name, problem: "\"\(folder)\" is not an absolute path")
        }
        let socket = "\(folder)/\(service.name)/\(instance).sock"
        guard socket.utf8.count <= RunDirectory.socketPathBytesMax else {
            let spare = RunDirectory.socketPathBytesMax - (socket.utf8.count - folder.utf8.count)
            throw ConfigurationError(
                setting: name,
                problem: "is \(folder.utf8.count) bytes long; socket paths leave room for \(spare)")
        }
        return folder
    }
}
