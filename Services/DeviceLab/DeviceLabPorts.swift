import FoundationEssentials
import ServiceKit

/// Where the page is: the content of `SIGHTSCREEN_RUN_DIR/device-lab/ports.json`.
public struct DeviceLabPorts: Codable, Sendable, Hashable {
    public var host: String
    public var port: Int

    /// Written whole or not at all, so that who waits for the file never reads half of it.
    func write(to runDirectory: String) throws {
        let folder = try RunDirectory.prepare(runDirectory, service: "device-lab")
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        try encoder.encode(self).write(to: URL(filePath: "\(folder)/ports.json"), options: .atomic)
    }
}
