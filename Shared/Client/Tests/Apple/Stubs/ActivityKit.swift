public import AppleFoundation

public protocol ActivityAttributes: Codable { associatedtype ContentState: Codable, Hashable }
public enum ActivityState: Hashable, Sendable { case active, ended, dismissed, stale, pending }
public struct ActivityContent<State: Codable & Hashable & Sendable>: Sendable {
    public var state: State
    public var staleDate: Date?
    public var relevanceScore: Double
    public init(state: State, staleDate: Date?, relevanceScore: Double = 0) { fatalError() }
}
public struct ActivityUIDismissalPolicy: Sendable {
    public static let `default` = Self()
    public static let immediate = Self()
    public static func after(_ date: Date) -> Self { Self() }
}
public struct PushType: Sendable {
    public static let token = Self()
    public static func channel(_ channelId: String) -> Self { Self() }
}
public enum ActivityStyle: Sendable { case standard, transient }
public struct AlertConfiguration: Sendable {
    public struct AlertSound: Sendable { public static let `default` = Self() }
    public init(title: LocalizedStringResource, body: LocalizedStringResource, sound: AlertSound) {}
}
public enum ActivityAuthorizationError: Error {
    case denied, unsupported, unsupportedTarget, targetMaximumExceeded, globalMaximumExceeded, attributesTooLarge
    case visibility, persistenceFailure
}
/// Neither this sequence nor an activity is Sendable in this stub. Code that compiles without it compiles whether or
/// not the SDK declares it.
public struct Updates<Element>: AsyncSequence {
    public struct AsyncIterator: AsyncIteratorProtocol { public mutating func next() async -> Element? { nil } }
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator() }
}
public final class ActivityAuthorizationInfo {
    public init() {}
    public var areActivitiesEnabled: Bool { true }
    public var frequentPushesEnabled: Bool { true }
    public var activityEnablementUpdates: Updates<Bool> { fatalError() }
    public var frequentPushEnablementUpdates: Updates<Bool> { fatalError() }
}
public class Activity<Attributes: ActivityAttributes>: Identifiable where Attributes.ContentState: Sendable {
    public typealias ContentState = Attributes.ContentState
    public let id = ""
    public var attributes: Attributes { fatalError() }
    public var content: ActivityContent<ContentState> { fatalError() }
    public var activityState: ActivityState { .active }
    public var pushToken: Data? { nil }
    public var pushTokenUpdates: Updates<Data> { fatalError() }
    public var contentUpdates: Updates<ActivityContent<ContentState>> { fatalError() }
    public var activityStateUpdates: Updates<ActivityState> { fatalError() }
    public static var activities: [Activity<Attributes>] { [] }
    public static var activityUpdates: Updates<Activity<Attributes>> { fatalError() }
    public static var pushToStartToken: Data? { nil }
    public static var pushToStartTokenUpdates: Updates<Data> { fatalError() }
    public static func request(
        attributes: Attributes, content: ActivityContent<ContentState>, pushType: PushType? = nil
    ) throws -> Activity<Attributes> { fatalError() }
    public static func request(
        attributes: Attributes, content: ActivityContent<ContentState>, pushType: PushType? = nil,
        style: ActivityStyle, alertConfiguration: AlertConfiguration, start: Date
    ) throws -> Activity<Attributes> { fatalError() }
    public func end(_ content: ActivityContent<ContentState>?, dismissalPolicy: ActivityUIDismissalPolicy) async {}
}
