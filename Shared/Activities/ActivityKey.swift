package import SightscreenModels

/// One generation of a Live Activity: the key of `live_activities`.
package struct ActivityKey: Hashable, Sendable {
    package var matchID: MatchID
    package var userID: UserID
    package var deviceID: DeviceID
    package var generation: Int

    package init(matchID: MatchID, userID: UserID, deviceID: DeviceID, generation: Int) {
        self.matchID = matchID
        self.userID = userID
        self.deviceID = deviceID
        self.generation = generation
    }
}
