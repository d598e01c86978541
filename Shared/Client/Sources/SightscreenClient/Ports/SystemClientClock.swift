#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The system's clock, for an app and for `device-lab`.
public struct SystemClientClock: ClientClock {
    public init() {}

    public var now: Int { Int(Date().timeIntervalSince1970) }

    public func sleep(for duration: Duration) async throws { try await Task.sleep(for: duration) }
}
