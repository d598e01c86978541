public import SightscreenClientTesting
import SightscreenModels

/// The addresses, the credentials and the limits of a simulator of APNs.
public struct APNsSimulatorConfiguration: Sendable {
    /// The address of all five ports.
    public var host = "127.0.0.1"
    /// The APNs port for production tokens; 0 takes any free port, as for the others.
    public var productionPort = 0
    public var sandboxPort = 0
    /// The ports at which channels are made and deleted.
    public var managementPort = 0
    public var sandboxManagementPort = 0
    /// The port of the control API, plain HTTP for tests and phones.
    public var controlPort = 0
    /// The certificate file (PEM) of the APNs ports.
    public var certificateFile: String
    public var keyFile: String
    /// The ES256 public key (PEM) that verifies provider tokens; they must name `keyID` and the team.
    public var publicKeyPEM: String
    public var keyID: String
    public var teamID: String
    public var bundleID: String
    /// The name of the app's Swift type; a start with another name is dropped by the phone.
    public var attributesType = "LiveActivityAttributes"
    /// Streams that a connection may have open once it has shown a valid provider token; before that, one.
    public var streamsMax = 1_000
    /// Streams that it may have after a refused push, until the next valid one; nil for no change. A 410 is no mistake
    /// and does not count.
    public var streamsAfterRefusal: Int?
    /// The delay of each answer, as of a network; the push's share of the windows is returned with the answer.
    public var answerDelayMs = 0
    /// Flow control: body bytes in flight on one stream; `connectionWindowBytes` is the limit of a whole connection.
    public var streamWindowBytes = 65_535
    public var connectionWindowBytes = 65_535
    /// The hourly budgets of the simulated phones.
    public var budgets = DeviceBudgets.none
    /// The most channels of the app in one environment.
    public var channelsMax = 10_000
    /// Publishes that a channel takes in a minute; nil for any number.
    public var publishesPerMinute: Int?
    /// The `retry-after` of the refusals beyond that; nil sends none.
    public var retryAfterSeconds: Int?
    /// The share of a publish's deliveries to phones that get lost, from 0 to 1.
    public var lostShare = 0.0
    /// The directory in which channels survive a restart; nil keeps them in memory.
    public var stateDirectory: String?
    /// Deliveries kept for `GET /deliveries`; the oldest are dropped first.
    public var deliveriesMax = 200_000
    /// The directory in which `apns-simulator/ports.json` is written; nil writes none.
    public var runDirectory: String?

    package init(
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
