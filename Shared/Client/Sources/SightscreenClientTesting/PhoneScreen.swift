/// What somebody who looks at the phone sees of the app, without opening it.
public struct PhoneScreen: Hashable, Sendable {
    /// The most relevant first; those that are over, and still shown, among them.
    public var lockScreen: [SimulatedActivity]
    public var island: DynamicIsland
    /// The newest last.
    public var notifications: [ShownAlert]

    public init(
        lockScreen: [SimulatedActivity] = [], island: DynamicIsland = DynamicIsland(), notifications: [ShownAlert] = []
    ) {
        self.lockScreen = lockScreen
        self.island = island
        self.notifications = notifications
    }
}
