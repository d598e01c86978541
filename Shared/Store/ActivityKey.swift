public import SightscreenModels

/// One generation of a Live Activity: the key of `live_activities`.
public struct ActivityKey: Hashable, Sendable {
    public var matchID: MatchID
    public var userID: UserID
    public var deviceID: DeviceID
    public var generation: Int

    public init(matchID: MatchID, userID: UserID, deviceID: DeviceID, generation: Int) {
        self.matchID = matchID
        self.userID = userID
        self.deviceID = deviceID
        self.generation = generation
    }
}
