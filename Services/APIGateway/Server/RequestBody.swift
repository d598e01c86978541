import SightscreenModels

/// The body of a call: the OpenAPI document describes it, requests are checked by it, and the handler gets it.
protocol RequestBody: Sendable {
    static var body: Operation.Body { get }

    /// - Parameter fields: the fields, which `body` has accepted.
    /// - Throws: `Problem` for what the schema cannot express.
    init(_ fields: FieldReader) throws
}

/// An answer that may say that part of the request still waits; it is then sent with 202.
protocol DeferrableAnswer {
    var waitsFor: TokenWait? { get }
}

extension DeviceResponse: DeferrableAnswer {}

extension Route {
    /// Makes a call whose answer is JSON.
    convenience init<Answer: Encodable & Sendable>(
        _ method: String, _ path: String, _ access: Access, _ operation: Operation,
        answering handle: @escaping @Sendable (GatewayRequest) async throws -> Answer
    ) {
        self.init(method, path, access, operation) { request in
            let answer = try await handle(request)
            let isWaiting = (answer as? any DeferrableAnswer)?.waitsFor != nil
            let reply = try Reply.json(answer, status: isWaiting ? 202 : operation.answer.status)
            return operation.isTagged ? try reply.tagged(for: request) : reply
        }
    }
    /// Makes a call that has a body and whose answer is JSON.
    convenience init<Body: RequestBody, Answer: Encodable & Sendable>(
        _ method: String, _ path: String, _ access: Access, _ operation: Operation,
        taking handle: @escaping @Sendable (GatewayRequest, Body) async throws -> Answer
    ) {
        self.init(
            method, path, access, operation.taking(Body.body),
            answering: { request in try await handle(request, try Body(request.fields)) })
    }
}
