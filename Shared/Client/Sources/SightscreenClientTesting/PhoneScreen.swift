/// The phone's view of the app while it is closed.
public struct PhoneScreen: Hashable, Sendable {
    /// The activities on the Lock Screen, most relevant first, including ended ones that are still shown.
    public var lockScreen: [SimulatedActivity]
    public var island: DynamicIsland
    /// The notifications, newest last.
    public var notifications: [ShownAlert]

    public init(
        lockScreen: [SimulatedActivity] = [], island: DynamicIsland = DynamicIsland(), notifications: [ShownAlert] = []
    ) {
        self.lockScreen = lockScreen
        self.island = island
        self.notifications = notifications
    }
}
