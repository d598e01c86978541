public import SightscreenModels

/// A publish on a broadcast channel, as it arrives at a phone.
public struct BroadcastPush: Hashable, Sendable {
    public var channel: ChannelID
    /// The headers, with names in lower case. The phone reads `apns-push-type` and `apns-priority`.
    public var headers: [String: String]
    public var body: [UInt8]

    public init(channel: ChannelID, headers: [String: String], body: [UInt8]) {
        self.channel = channel
        self.headers = headers
        self.body = body
    }
}
