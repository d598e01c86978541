import Synchronization

/// Which mode the app is in: kept in UserDefaults, so that a launch begins as the last one ended.
public final class FakeModeSwitch: Sendable {
    static let key = "debug.fakeMode"

    private let store: any KeyValueStore
    private let current: Mutex<FakeMode>

    public init(store: any KeyValueStore) {
        self.store = store
        current = Mutex(store.strings(forKey: Self.key)?.first.flatMap { FakeMode(rawValue: $0) } ?? .off)
    }

    public var mode: FakeMode { current.withLock { $0 } }

    public func set(_ mode: FakeMode) {
        current.withLock { $0 = mode }
        store.set(mode == .off ? nil : [mode.rawValue], forKey: Self.key)
    }
}

/// Sends each call where the switch says at that moment.
public struct SwitchedTransport: APITransport {
    /// What the product calls its fake API.
    public static let fakeAPIAddress = "https://fake-api.sightscreen.app"

    private let gateway: any APITransport
    private let fakeAPI: any APITransport
    private let canned: CannedTransport
    private let mode: FakeModeSwitch

    public init(
        gateway: any APITransport, fakeAPI: any APITransport, mode: FakeModeSwitch,
        clock: any ClientClock = SystemClientClock()
    ) {
        self.gateway = gateway
        self.fakeAPI = fakeAPI
        self.mode = mode
        canned = CannedTransport(clock: clock) { [mode] in
            if case .canned(let scenario) = mode.mode { scenario } else { .liveMatch }
        }
    }

    public func send(_ request: APIRequest) async throws(TransportError) -> APIResponse {
        switch mode.mode {
        case .off: try await gateway.send(request)
        case .fakeAPI: try await fakeAPI.send(request)
        case .canned: try await canned.send(request)
        }
    }
}
