/// One window of the app. An iPad may show several, and the app is in the foreground while one of them is.
public struct AppScene: Hashable, Sendable {
    /// The window of an app that has one.
    public static let only = AppScene(id: 0)

    private let id: UInt64

    private init(id: UInt64) { self.id = id }

    /// Creates a scene that differs from all others.
    public init() { self.init(id: .random(in: 1 ... .max)) }
}
