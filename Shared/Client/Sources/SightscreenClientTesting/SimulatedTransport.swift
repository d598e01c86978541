public import SightscreenClient

/// The app's connection on a simulated phone. A call that is under way when the phone suspends the app gets no answer,
/// though it may have taken effect; the app learns of it at its next wake.
///
/// Observed on phones: `URLSession` then fails with `networkConnectionLost`.
public struct SimulatedTransport: APITransport {
    private let transport: any APITransport
    private let phone: SimulatedActivityKit

    public init(_ transport: any APITransport, on phone: SimulatedActivityKit) {
        self.transport = transport
        self.phone = phone
    }

    public func send(_ request: APIRequest) async throws(TransportError) -> APIResponse {
        await phone.whenAwake()
        let wakes = await phone.background.wakes
        let result: Result<APIResponse, TransportError>
        do { result = .success(try await transport.send(request)) } catch { result = .failure(error) }
        await phone.whenAwake()
        guard await phone.background.wakes == wakes else { throw .broken("the app was suspended") }
        return try result.get()
    }
}
