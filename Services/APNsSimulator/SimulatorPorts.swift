/// The address and ports of a simulator: the content of `SIGHTSCREEN_RUN_DIR/apns-simulator/ports.json`.
public struct SimulatorPorts: Codable, Sendable, Hashable {
    public var host: String
    public var production: Int
    public var sandbox: Int
    /// Where channels of production are made and deleted.
    public var management: Int
    public var sandboxManagement: Int
    public var control: Int
}
