public import SightscreenClientTesting
import SightscreenModels

/// What a simulator of APNs listens on and believes.
public struct APNsSimulatorConfiguration: Sendable {
    /// The address of all three ports.
    public var host = "127.0.0.1"
    /// 0: any free one. So for all three.
    public var productionPort = 0
    public var sandboxPort = 0
    /// Plain HTTP, for tests and phones.
    public var controlPort = 0
    /// PEM, for both APNs ports.
    public var certificateFile: String
    public var keyFile: String
    /// The ES256 public key (PEM) that provider tokens are checked with, and what they must name.
    public var publicKeyPEM: String
    public var keyID: String
    public var teamID: String
    public var bundleID: String
    /// The name of the app's Swift type: a start with another one is dropped by the phone.
    public var attributesType = "LiveActivityAttributes"
    /// What a connection may have under way once it has shown a good provider token; before that, one stream.
    public var streamsMax = 1_000
    /// What it may have after a refused push, until the next good one; nil: as many as before. (410 is no mistake.)
    public var streamsAfterRefusal: Int?
    /// Each answer comes so much later, and what its push took of the windows is given back with it: a network's delay.
    public var answerDelayMs = 0
    /// Flow control: body bytes that may be on their way on one stream and on all of a connection.
    public var streamWindowBytes = 65_535
    public var connectionWindowBytes = 65_535
    /// What phones take in an hour.
    public var budgets = DeviceBudgets.none
    /// Deliveries that are kept for `GET /deliveries`: the oldest go first.
    public var deliveriesMax = 200_000
    /// Where `apns-simulator/ports.json` is written; nil: nowhere.
    public var runDirectory: String?

    public init(
        certificateFile: String, keyFile: String, publicKeyPEM: String, keyID: String, teamID: String, bundleID: String
    ) {
        self.certificateFile = certificateFile
        self.keyFile = keyFile
        self.publicKeyPEM = publicKeyPEM
        self.keyID = keyID
        self.teamID = teamID
        self.bundleID = bundleID
    }
}
