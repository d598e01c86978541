/// Sends each call to the backend of the mode that it was made in; a canned scenario may change under way.
public struct SwitchedTransport: APITransport {
    /// What the product calls its fake API.
    public static let fakeAPIAddress = "https://fake-api.sightscreen.app"

    private let backend: any APITransport

    public init(
        gateway: any APITransport, fakeAPI: any APITransport, mode: FakeModeSwitch,
        clock: any ClientClock = SystemClientClock()
    ) {
        backend =
            switch mode.mode {
            case .off: gateway
            case .fakeAPI: fakeAPI
            case .canned:
                CannedTransport(clock: clock) { [mode] in
                    if case .canned(let scenario) = mode.mode { scenario } else { .liveMatch }
                }
            }
    }

    public func send(_ request: APIRequest) async throws(TransportError) -> APIResponse {
        try await backend.send(request)
    }
}
