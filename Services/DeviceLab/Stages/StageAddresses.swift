import FoundationEssentials
import ServiceKit

/// The addresses of the stages' health servers: those of the settings, otherwise those that the processes write to the
/// run directory.
struct StageAddresses: Sendable {
    /// The addresses by stage; when empty, the run directory has them.
    let named: [String: [String]]
    let runDirectory: String?

    /// The base URLs of a stage's processes.
    func addresses(of stage: String) -> [String] {
        if !named.isEmpty { return named[stage] ?? [] }
        guard let runDirectory else { return [] }
        let folder = "\(runDirectory)/\(stage)"
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.filter { $0.hasSuffix(".health") }.sorted().compactMap { name in
            guard let data = FileManager.default.contents(atPath: "\(folder)/\(name)") else { return nil }
            return Self.url(String(decoding: data, as: UTF8.self))
        }
    }
    /// The URL of an address `host:port`, as a health server writes it.
    static func url(_ address: String) -> String? {
        let line = address.prefix { $0 != "\n" }
        guard let colon = line.lastIndex(of: ":"), let port = Int(line[line.index(after: colon)...]),
            (1...65_535).contains(port)
        else { return nil }
        var host = String(line[..<colon])
        if host == "0.0.0.0" || host == "::" { host = "127.0.0.1" }
        if host.contains(":"), host.first != "[" { host = "[\(host)]" }
        return "http://\(host):\(port)"
    }
}
