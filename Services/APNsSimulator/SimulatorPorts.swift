import FoundationEssentials
import ServiceKit

/// Where a simulator answers: the content of `SIGHTSCREEN_RUN_DIR/apns-simulator/ports.json`.
public struct SimulatorPorts: Codable, Sendable, Hashable {
    public var host: String
    public var production: Int
    public var sandbox: Int
    public var control: Int

    /// Written whole or not at all, so that who waits for the file never reads half of it.
    func write(to runDirectory: String) throws {
        let folder = try RunDirectory.prepare(runDirectory, service: "apns-simulator")
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        try encoder.encode(self).write(to: URL(filePath: "\(folder)/ports.json"), options: .atomic)
    }
}
