public import AppleFoundation
public import SwiftUI

// MARK: - Intents

public protocol AppIntent: Sendable {
    associatedtype PerformResult: IntentResult
    static var title: LocalizedStringResource { get }
    static var isDiscoverable: Bool { get }
    init()
    func perform() async throws -> PerformResult
}
extension AppIntent {
    public typealias Parameter = IntentParameter
    public static var isDiscoverable: Bool { true }
}
public protocol SystemIntent: AppIntent {}
public protocol LiveActivityIntent: SystemIntent {}
@propertyWrapper public final class IntentParameter<Value: Sendable>: @unchecked Sendable {
    public init(title: LocalizedStringResource) {}
    public var wrappedValue: Value {
        get { fatalError() }
        set {}
    }
    public var projectedValue: IntentParameter<Value> { self }
}
public protocol AppIntentsPackage { static var includedPackages: [any AppIntentsPackage.Type] { get } }
extension AppIntentsPackage { public static var includedPackages: [any AppIntentsPackage.Type] { [] } }

// MARK: - Results

public protocol IntentResult: Sendable {}
public protocol ProvidesDialog: IntentResult {}
public struct IntentResultContainer: IntentResult {}
public struct IntentDialogContainer: ProvidesDialog {}
extension IntentResult where Self == IntentResultContainer { public static func result() -> Self { Self() } }
extension IntentResult where Self == IntentDialogContainer {
    public static func result(dialog: IntentDialog) -> Self { Self() }
}
public struct IntentDialog: ExpressibleByStringInterpolation, Sendable { public init(stringLiteral value: String) {} }
public protocol CustomLocalizedStringResourceConvertible {
    var localizedStringResource: LocalizedStringResource { get }
}

// MARK: - Dependencies

@propertyWrapper public final class AppDependency<Value: Sendable>: Sendable {
    public convenience init(key: AnyHashable? = nil, manager: AppDependencyManager = .shared) { self.init() }
    private init() {}
    public var wrappedValue: Value { fatalError() }
}
public final class AppDependencyManager {
    public nonisolated(unsafe) static let shared = AppDependencyManager()
    public init() {}
    public func add<Dependency: Sendable>(
        key: AnyHashable? = nil, dependency dependencyProvider: @autoclosure @escaping @Sendable () -> Dependency
    ) {}
}

// MARK: - Entities

public protocol DisplayRepresentable {
    static var typeDisplayRepresentation: TypeDisplayRepresentation { get }
    var displayRepresentation: DisplayRepresentation { get }
}
public protocol AppEntity: DisplayRepresentable, Identifiable, Sendable where ID: Sendable {
    associatedtype DefaultQuery: EntityQuery where DefaultQuery.Entity == Self
    static var defaultQuery: DefaultQuery { get }
}
public protocol EntityQuery: Sendable {
    associatedtype Entity: AppEntity
    init()
    func entities(for identifiers: [Entity.ID]) async throws -> [Entity]
    func suggestedEntities() async throws -> [Entity]
}
public protocol EntityStringQuery: EntityQuery { func entities(matching string: String) async throws -> [Entity] }
public struct TypeDisplayRepresentation: ExpressibleByStringInterpolation, Sendable {
    public init(stringLiteral value: String) {}
}
public struct DisplayRepresentation: Sendable {
    public init(title: LocalizedStringResource, subtitle: LocalizedStringResource? = nil) {}
}

// MARK: - Shortcuts

public struct AppShortcutPhraseToken: Sendable { public static let applicationName = AppShortcutPhraseToken() }
public struct AppShortcutPhrase<Intent: AppIntent>: ExpressibleByStringInterpolation {
    public struct StringInterpolation: StringInterpolationProtocol {
        public init(literalCapacity: Int, interpolationCount: Int) {}
        public mutating func appendLiteral(_ literal: String) {}
        public mutating func appendInterpolation(_ token: AppShortcutPhraseToken) {}
        public mutating func appendInterpolation<Value>(_ parameter: KeyPath<Intent, IntentParameter<Value>>) {}
    }
    public init(stringLiteral value: String) {}
    public init(stringInterpolation: StringInterpolation) {}
}
public struct AppShortcut {
    public init<Intent: AppIntent>(
        intent: Intent, phrases: [AppShortcutPhrase<Intent>], shortTitle: LocalizedStringResource,
        systemImageName: String
    ) {}
}
@resultBuilder public enum AppShortcutsBuilder {
    public static func buildBlock(_ shortcuts: AppShortcut...) -> [AppShortcut] { shortcuts }
}
public protocol AppShortcutsProvider { @AppShortcutsBuilder static var appShortcuts: [AppShortcut] { get } }
extension AppShortcutsProvider { public static func updateAppShortcutParameters() {} }

// MARK: - SwiftUI

extension Button {
    public init(intent: some AppIntent, @ViewBuilder label: () -> some View) {
        self.init(action: {}, label: label)
    }
}
