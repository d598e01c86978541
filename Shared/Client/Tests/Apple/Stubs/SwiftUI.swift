public import AppleFoundation
public import UIKit

@MainActor @preconcurrency public protocol View {
    associatedtype Body: View
    @ViewBuilder @MainActor @preconcurrency var body: Body { get }
}
public struct Anything: View {
    public var body: Never { fatalError() }
    public nonisolated init() {}
}
extension Optional: View where Wrapped: View { public var body: Never { fatalError() } }
extension Never: View { public var body: Never { fatalError() } }
@resultBuilder public enum ViewBuilder {
    public static func buildBlock() -> Anything { Anything() }
    public static func buildPartialBlock<Content: View>(first: Content) -> Content { first }
    public static func buildPartialBlock(accumulated: some View, next: some View) -> Anything { Anything() }
    public static func buildIf<Content: View>(_ content: Content?) -> Content? { content }
    public static func buildEither(first: some View) -> Anything { Anything() }
    public static func buildEither(second: some View) -> Anything { Anything() }
}
@MainActor @preconcurrency public protocol ViewModifier {
    associatedtype Body: View
    typealias Content = Anything
    @ViewBuilder @MainActor @preconcurrency func body(content: Content) -> Body
}

// MARK: - State and environment

@propertyWrapper public struct Binding<Value> {
    public init(get: @escaping () -> Value, set: @escaping (Value) -> Void) {}
    public var wrappedValue: Value {
        get { fatalError() }
        nonmutating set {}
    }
    public var projectedValue: Binding<Value> { self }
}
@propertyWrapper public struct State<Value> {
    public init(wrappedValue: Value) {}
    public init(initialValue: Value) {}
    public var wrappedValue: Value {
        get { fatalError() }
        nonmutating set {}
    }
    public var projectedValue: Binding<Value> { fatalError() }
}
extension State: Sendable where Value: Sendable {}
@propertyWrapper public struct Environment<Value> {
    public init(_ keyPath: KeyPath<EnvironmentValues, Value>) {}
    public var wrappedValue: Value { fatalError() }
}
extension Environment: Sendable where Value: Sendable {}
public protocol EnvironmentKey {
    associatedtype Value
    static var defaultValue: Value { get }
}
public enum ScenePhase: Sendable { case background, inactive, active }
@MainActor public struct OpenURLAction: Sendable { public func callAsFunction(_ url: URL) {} }
public struct EnvironmentValues {
    public subscript<Key: EnvironmentKey>(key: Key.Type) -> Key.Value {
        get { Key.defaultValue }
        set {}
    }
    public var scenePhase: ScenePhase { .active }
    public var openURL: OpenURLAction { fatalError() }
    public var colorScheme: ColorScheme { .light }
    public var colorSchemeContrast: ColorSchemeContrast { .standard }
    public var isLuminanceReduced: Bool { false }
}
public enum ColorScheme: Hashable, Sendable { case light, dark }
public enum ColorSchemeContrast: Hashable, Sendable { case standard, increased }

// MARK: - Modifiers

extension View {
    public nonisolated func modifier(_ modifier: some ViewModifier) -> some View { Anything() }
    public nonisolated func environment<V>(_ keyPath: WritableKeyPath<EnvironmentValues, V>, _ value: V) -> some View {
        Anything()
    }
    public nonisolated func task(
        priority: TaskPriority = .userInitiated,
        @_inheritActorContext _ action: sending @escaping @isolated(any) () async -> Void
    ) -> some View { Anything() }
    public nonisolated func task(
        id value: some Equatable, priority: TaskPriority = .userInitiated,
        @_inheritActorContext _ action: sending @escaping @isolated(any) () async -> Void
    ) -> some View { Anything() }
    public nonisolated func onAppear(perform action: (() -> Void)? = nil) -> some View { Anything() }
    public nonisolated func onDisappear(perform action: (() -> Void)? = nil) -> some View { Anything() }
    public nonisolated func onChange<V: Equatable>(of value: V, _ action: @escaping () -> Void) -> some View {
        Anything()
    }
    public nonisolated func onChange<V: Equatable>(of value: V, _ action: @escaping (V, V) -> Void) -> some View {
        Anything()
    }
    public nonisolated func onReceive(
        _ publisher: NotificationCenter.Publisher, perform action: @escaping (Notification) -> Void
    ) -> some View { Anything() }
    public nonisolated func font(_ font: Font?) -> some View { Anything() }
    public nonisolated func foregroundStyle(_ style: Color) -> some View { Anything() }
    public nonisolated func toolbar(@ViewBuilder content: () -> some View) -> some View { Anything() }
    public nonisolated func opacity(_ opacity: Double) -> some View { Anything() }
    public nonisolated func padding() -> some View { Anything() }
    public nonisolated func padding(_ insets: EdgeInsets) -> some View { Anything() }
    public nonisolated func background(_ style: Color, in shape: some Shape) -> some View { Anything() }
    public nonisolated func lineLimit(_ number: Int?) -> some View { Anything() }
    public nonisolated func fixedSize() -> some View { Anything() }
    public nonisolated func monospacedDigit() -> some View { Anything() }
    public nonisolated func scaledToFit() -> some View { Anything() }
    public nonisolated func accessibilityElement(children: AccessibilityChildBehavior) -> some View { Anything() }
    public nonisolated func accessibilityLabel(_ label: String) -> some View { Anything() }
    public nonisolated func frame(width: Double? = nil, height: Double? = nil) -> some View { Anything() }
    public nonisolated func id(_ id: some Hashable) -> some View { Anything() }
    public nonisolated func safeAreaInset(edge: VerticalEdge, @ViewBuilder content: () -> some View) -> some View {
        Anything()
    }
    public nonisolated func sheet<Item: Identifiable>(
        item: Binding<Item?>, @ViewBuilder content: @escaping (Item) -> some View
    ) -> some View { Anything() }
    public nonisolated func sheet(
        isPresented: Binding<Bool>, @ViewBuilder content: @escaping () -> some View
    ) -> some View { Anything() }
    public nonisolated func overlay(@ViewBuilder content: () -> some View) -> some View { Anything() }
    public nonisolated func tabItem(@ViewBuilder _ label: () -> some View) -> some View { Anything() }
    public nonisolated func confirmationDialog(
        _ titleKey: LocalizedStringKey, isPresented: Binding<Bool>, titleVisibility: Visibility = .automatic,
        @ViewBuilder actions: () -> some View
    ) -> some View { Anything() }
    public nonisolated func buttonStyle(_ style: some PrimitiveButtonStyle) -> some View { Anything() }
    public nonisolated func textContentType(_ type: UITextContentType?) -> some View { Anything() }
    public nonisolated func textInputAutocapitalization(_ style: TextInputAutocapitalization?) -> some View {
        Anything()
    }
    public nonisolated func autocorrectionDisabled(_ disabled: Bool = true) -> some View { Anything() }
    public nonisolated func onOpenURL(perform action: @escaping (URL) -> Void) -> some View { Anything() }
    public nonisolated func disabled(_ disabled: Bool) -> some View { Anything() }
    public nonisolated func contentTransition(_ transition: ContentTransition) -> some View { Anything() }
}
public struct ContentTransition: Sendable {
    public static func numericText(countsDown: Bool = false) -> ContentTransition { ContentTransition() }
}
public enum Visibility { case automatic, visible, hidden }
public struct ButtonRole: Sendable { public static let destructive = ButtonRole(), cancel = ButtonRole() }
public protocol PrimitiveButtonStyle {}
public struct PlainButtonStyle: PrimitiveButtonStyle { public init() {} }
public struct BorderlessButtonStyle: PrimitiveButtonStyle { public init() {} }
extension PrimitiveButtonStyle where Self == BorderlessButtonStyle { public static var borderless: Self { Self() } }
extension PrimitiveButtonStyle where Self == PlainButtonStyle { public static var plain: Self { Self() } }
public enum AccessibilityChildBehavior { case ignore, contain, combine }
public enum VerticalEdge { case top, bottom }
public enum HorizontalAlignment { case leading, center, trailing }
public enum VerticalAlignment { case top, center, bottom, firstTextBaseline }
public struct EdgeInsets { public init(top: Double, leading: Double, bottom: Double, trailing: Double) {} }
public protocol Shape {}
public struct RoundedRectangle: Shape { public init(cornerRadius: Double) {} }
public struct Capsule: Shape { public init() {} }
public struct Font: Sendable {
    public enum Weight: Sendable { case regular, semibold, bold }
    public static let headline = Font(), caption = Font(), caption2 = Font()
    public static func system(size: Double, weight: Weight? = nil) -> Font { Font() }
    public func monospaced() -> Font { self }
    public func monospacedDigit() -> Font { self }
}
public struct Color: View, Sendable {
    public static let red = Color(), primary = Color(), clear = Color()
    private nonisolated init() {}
    public nonisolated init(red: Double, green: Double, blue: Double, opacity: Double = 1) {}
    public var body: Never { fatalError() }
}

// MARK: - Views

/// Views that have only content, and views that have none.
public struct Group<Content>: View {
    public init(@ViewBuilder content: () -> Content) where Content: View {}
    public var body: Never { fatalError() }
}
public typealias Form = Group
public typealias NavigationStack = Group
public typealias TabView = Group
public struct VStack<Content: View>: View {
    public init(alignment: HorizontalAlignment = .center, spacing: Double? = nil, @ViewBuilder content: () -> Content) {
    }
    public var body: Never { fatalError() }
}
public struct HStack<Content: View>: View {
    public init(alignment: VerticalAlignment = .center, spacing: Double? = nil, @ViewBuilder content: () -> Content) {}
    public var body: Never { fatalError() }
}
/// A literal is a key that SwiftUI looks up in the app's catalogue of strings.
public struct LocalizedStringKey: ExpressibleByStringInterpolation, Sendable {
    public init(stringLiteral value: String) {}
}
public struct Text: View {
    public struct DateStyle: Sendable { public static let time = DateStyle() }
    @_disfavoredOverload public init(_ content: some StringProtocol) {}
    public init(
        _ key: LocalizedStringKey, tableName: String? = nil, bundle: Bundle? = nil, comment: StaticString? = nil
    ) {}
    @_disfavoredOverload public init(_ resource: LocalizedStringResource) {}
    public init(verbatim content: String) {}
    public init(_ date: Date, style: DateStyle) {}
    public func font(_ font: Font?) -> Text { self }
    public var body: Never { fatalError() }
}
public struct TextInputAutocapitalization: Sendable {
    public static var never: TextInputAutocapitalization { TextInputAutocapitalization() }
}
public struct Spacer: View {
    public init(minLength: Double? = nil) {}
    public var body: Never { fatalError() }
}
public struct EmptyView: View {
    public init() {}
    public var body: Never { fatalError() }
}
public struct ProgressView: View {
    public init() {}
    public var body: Never { fatalError() }
}
public struct Image: View {
    public init(uiImage: UIImage) {}
    public init(systemName: String) {}
    public func resizable() -> Image { self }
    public var body: Never { fatalError() }
}
public struct ShareLink: View {
    public init(item: String) {}
    public var body: Never { fatalError() }
}
public struct TextField: View {
    @_disfavoredOverload public init(_ title: some StringProtocol, text: Binding<String>) {}
    public init(_ titleKey: LocalizedStringKey, text: Binding<String>) {}
    public var body: Never { fatalError() }
}
public typealias SecureField = TextField
public struct Button: View {
    @_disfavoredOverload public init(_ title: some StringProtocol, action: @escaping @MainActor () -> Void) {}
    public init(_ titleKey: LocalizedStringKey, action: @escaping @MainActor () -> Void) {}
    public init(_ titleKey: LocalizedStringKey, role: ButtonRole?, action: @escaping @MainActor () -> Void) {}
    public init(action: @escaping @MainActor () -> Void, @ViewBuilder label: () -> some View) {}
    public var body: Never { fatalError() }
}
public struct Label: View {
    public init(_ titleKey: LocalizedStringKey, systemImage name: String) {}
    public var body: Never { fatalError() }
}
public struct Menu: View {
    @_disfavoredOverload public init(_ title: some StringProtocol, @ViewBuilder content: () -> some View) {}
    public init(_ titleKey: LocalizedStringKey, @ViewBuilder content: () -> some View) {}
    public var body: Never { fatalError() }
}
public struct ContentUnavailableView: View {
    public init(
        @ViewBuilder label: () -> some View, @ViewBuilder description: () -> some View,
        @ViewBuilder actions: () -> some View
    ) {}
    public var body: Never { fatalError() }
}
public struct List: View {
    public init<Data: RandomAccessCollection, ID: Hashable>(
        _ data: Data, id: KeyPath<Data.Element, ID>, @ViewBuilder rowContent: @escaping (Data.Element) -> some View
    ) {}
    public var body: Never { fatalError() }
}
public typealias ForEach = List

/// The type that the macro `#Preview` makes.
@MainActor public struct Preview {
    public init(_ name: String? = nil, @ViewBuilder body: @escaping @MainActor () -> some View) {}
}

// MARK: - App, scenes, widgets

@MainActor @preconcurrency public protocol Scene {}
@MainActor @preconcurrency public protocol App {
    associatedtype Body: Scene
    var body: Body { get }
    init()
}
extension App { public static func main() {} }
public struct WindowGroup: Scene { public init(@ViewBuilder content: @escaping () -> some View) {} }
@MainActor @propertyWrapper public struct UIApplicationDelegateAdaptor<Delegate: NSObject & UIApplicationDelegate> {
    public init(_ type: Delegate.Type = Delegate.self) {}
    public var wrappedValue: Delegate { fatalError() }
}
@MainActor @preconcurrency public protocol WidgetConfiguration {}
@MainActor @preconcurrency public protocol Widget {
    associatedtype Body: WidgetConfiguration
    var body: Body { get }
    init()
}
@MainActor @preconcurrency public protocol WidgetBundle {
    associatedtype Body: Widget
    var body: Body { get }
    init()
}
extension WidgetBundle { public static func main() {} }
