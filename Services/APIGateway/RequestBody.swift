import SightscreenModels

/// A call's body: as the document describes it and requests are checked by it, and as its handler gets it.
protocol RequestBody: Sendable {
    static var body: Operation.Body { get }

    /// - Parameter fields: `body` has accepted them.
    /// - Throws: `Problem`.
    init(_ fields: FieldReader) throws
}

/// An answer that may say that what was asked for has not happened yet.
protocol AnswerThatMayWait {
    var waitsFor: TokenWait? { get }
}

extension DeviceResponse: AnswerThatMayWait {}

extension Route {
    /// A call whose answer is JSON.
    convenience init<Answer: Encodable & Sendable>(
        _ method: String, _ path: String, _ access: Access, _ operation: Operation,
        answering handle: @escaping @Sendable (GatewayRequest) async throws -> Answer
    ) {
        self.init(method, path, access, operation) { request in
            let answer = try await handle(request)
            let isWaiting = (answer as? any AnswerThatMayWait)?.waitsFor != nil
            let reply = try Reply.json(answer, status: isWaiting ? 202 : operation.answer.status)
            return operation.isTagged ? try reply.tagged(for: request) : reply
        }
    }

    /// One that takes a body, too.
    convenience init<Body: RequestBody, Answer: Encodable & Sendable>(
        _ method: String, _ path: String, _ access: Access, _ operation: Operation,
        taking handle: @escaping @Sendable (GatewayRequest, Body) async throws -> Answer
    ) {
        self.init(
            method, path, access, operation.taking(Body.body),
            answering: { request in try await handle(request, try Body(request.fields)) })
    }
}
