import FoundationEssentials

extension RunDirectory {
    /// Writes down where a service answers, in `RUN_DIR/service/ports.json`: whole or not at all, so that who waits for the
    /// file never reads half of it.
    public static func write(ports: some Encodable, of service: String, to runDirectory: String) throws {
        let folder = try prepare(runDirectory, service: service)
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        try encoder.encode(ports).write(to: URL(filePath: "\(folder)/ports.json"), options: .atomic)
    }
}

/// Where a service with one port answers.
public struct ServicePort: Encodable, Sendable {
    let host: String
    let port: Int

    public init(host: String, port: Int) {
        self.host = host
        self.port = port
    }
}
