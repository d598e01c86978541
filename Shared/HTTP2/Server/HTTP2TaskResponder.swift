/// Calls an asynchronous function for each request, in a task of its own.
final class HTTP2TaskResponder: HTTP2Responder {
    private let handler: HTTP2Server.Handler
    private let answer: @Sendable (HTTP2Request, HTTP2Reply) async -> Void

    init(
        _ handler: @escaping HTTP2Server.Handler, answer: @escaping @Sendable (HTTP2Request, HTTP2Reply) async -> Void
    ) {
        self.handler = handler
        self.answer = answer
    }

    func decide(on arrival: HTTP2Arrival) -> HTTP2Decision {
        let request = arrival.request
        Task { [handler, answer] in await answer(request, await handler(request)) }
        return .later
    }

    func connectionChanged(_ id: HTTP2ConnectionID, isOpen: Bool) {}
}
