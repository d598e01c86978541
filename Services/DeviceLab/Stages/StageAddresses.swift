import FoundationEssentials
import ServiceKit

/// Where the health servers of the stages are: as the settings say, else as the processes write down themselves.
struct StageAddresses: Sendable {
    /// By stage; empty: look at the run directory.
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

    /// Of `host:port`, as a health server writes it.
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
