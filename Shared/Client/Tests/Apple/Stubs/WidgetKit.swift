public import ActivityKit
public import AppleFoundation
public import SwiftUI

public struct ActivityViewContext<Attributes: ActivityAttributes> {
    public var state: Attributes.ContentState { fatalError() }
    public var attributes: Attributes { fatalError() }
    public var isStale: Bool { false }
}
public struct ActivityConfiguration<Attributes: ActivityAttributes>: WidgetConfiguration {
    public init(
        for attributesType: Attributes.Type,
        @ViewBuilder content: @escaping (ActivityViewContext<Attributes>) -> some View,
        dynamicIsland: @escaping (ActivityViewContext<Attributes>) -> DynamicIsland
    ) {}
}
public enum ActivityFamily: Sendable { case small, medium }
extension WidgetConfiguration {
    public func supplementalActivityFamilies(_ families: [ActivityFamily]) -> some WidgetConfiguration { self }
}
extension EnvironmentValues {
    public var activityFamily: ActivityFamily { .medium }
    public var isActivityFullscreen: Bool { false }
}
extension View {
    public nonisolated func widgetURL(_ url: URL?) -> some View { self }
    public nonisolated func activityBackgroundTint(_ color: Color?) -> some View { self }
    public nonisolated func activitySystemActionForegroundColor(_ color: Color?) -> some View { self }
}
@resultBuilder public enum DynamicIslandExpandedContentBuilder {
    public static func buildBlock(_ regions: DynamicIslandExpandedRegion...) -> DynamicIslandExpandedRegion {
        regions[0]
    }
}
public enum ActivityPreviewViewKind: Sendable {
    public enum DynamicIslandPreviewViewState: Sendable { case compact, minimal, expanded }
    case content
    case dynamicIsland(DynamicIslandPreviewViewState)
}
@resultBuilder public struct PreviewActivityBuilder<A: ActivityAttributes> {
    public static func buildExpression(_ state: A.ContentState) -> [A.ContentState] { [state] }
    public static func buildPartialBlock(first: [A.ContentState]) -> [A.ContentState] { first }
    public static func buildPartialBlock(
        accumulated: [A.ContentState], next: [A.ContentState]
    ) -> [A.ContentState] { accumulated + next }
    public static func buildArray(_ components: [[A.ContentState]]) -> [A.ContentState] { components.flatMap { $0 } }
}
extension Preview {
    public init<Attributes: ActivityAttributes>(
        _ name: String? = nil, as viewKind: ActivityPreviewViewKind, using attributes: Attributes,
        widget: @escaping () -> some Widget,
        @PreviewActivityBuilder<Attributes> contentStates: @escaping @MainActor () async -> [Attributes.ContentState]
    ) { self.init(name) { Anything() } }
}
public struct DynamicIslandExpandedRegion {
    public enum Position { case leading, trailing, center, bottom }
    public init(_ position: Position, @ViewBuilder content: @escaping () -> some View) {}
}
public struct DynamicIsland {
    public init(
        @DynamicIslandExpandedContentBuilder expanded: @escaping () -> DynamicIslandExpandedRegion,
        @ViewBuilder compactLeading: @escaping () -> some View, @ViewBuilder compactTrailing: @escaping () -> some View,
        @ViewBuilder minimal: @escaping () -> some View
    ) {}
    public func keylineTint(_ color: Color?) -> DynamicIsland { self }
    public func widgetURL(_ url: URL?) -> DynamicIsland { self }
}
