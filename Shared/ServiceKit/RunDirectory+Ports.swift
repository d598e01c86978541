import FoundationEssentials

extension RunDirectory {
    /// Writes a service's addresses to `RUN_DIR/service/ports.json`. The file appears whole or not at all, so a program
    /// that waits for it never reads half of it.
    public static func write(ports: some Encodable, of service: String, to runDirectory: String) throws {
        let folder = try prepare(runDirectory, service: service)
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        try encoder.encode(ports).write(to: URL(filePath: "\(folder)/ports.json"), options: .atomic)
    }
}

/// The address of a service with one port.
public struct ServicePort: Encodable, Sendable {
    let host: String
    let port: Int

    package init(host: String, port: Int) {
        self.host = host
        self.port = port
    }
}
