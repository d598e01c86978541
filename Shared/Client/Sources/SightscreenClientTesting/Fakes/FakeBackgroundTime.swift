public import SightscreenClient

/// Background time that ends when a test says so, for tests of code that needs some. `SimulatedActivityKit` gives as
/// much as iOS does.
public actor FakeBackgroundTime: BackgroundTimePort {
    private var tasks: [BackgroundTaskID: @Sendable () -> Void] = [:]
    /// The number of tasks that were begun.
    public private(set) var begun = 0

    public init() {}

    public var running: Set<BackgroundTaskID> { Set(tasks.keys) }

    public func begin(_ name: String, expired: @escaping @Sendable () -> Void) -> BackgroundTaskID? {
        begun += 1
        tasks[BackgroundTaskID(begun)] = expired
        return BackgroundTaskID(begun)
    }

    public func end(_ task: BackgroundTaskID) { tasks[task] = nil }

    /// Ends all tasks, as the system does when its time is over.
    public func expire() {
        let expired = tasks
        tasks = [:]
        for told in expired.values { told() }
    }
}
