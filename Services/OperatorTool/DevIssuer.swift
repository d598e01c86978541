import HTTPTypes
import Hummingbird
import Logging
import NIOCore

/// Publishes the development key, as a Cognito user pool publishes its keys.
struct DevIssuer: Sendable {
    let identity: DevelopmentIdentity

    /// - Parameter onReady: told the port, which is of the system's choosing when 0 was asked for.
    func application(
        host: String, port: Int, logger: Logger, onReady: @escaping @Sendable (Int) async -> Void = { _ in }
    ) -> some ApplicationProtocol {
        let jwks = identity.jwks
        let responder = CallbackResponder<BasicRequestContext> { request, _ in Self.answer(request, jwks: jwks) }
        return Application(
            responder: responder,
            server: .http1(configuration: .init(idleTimeout: .seconds(10))),
            configuration: .init(address: .hostname(host, port: port)),
            onServerRunning: { channel in await onReady(channel.localAddress?.port ?? port) },
            logger: logger)
    }

    private static func answer(_ request: Request, jwks: String) -> Response {
        let text: String
        switch request.uri.path {
        case "/.well-known/jwks.json": text = jwks
        case "/health/live", "/health/ready": text = #"{"status":"ok"}"#
        default: return Response(status: .notFound)
        }
        guard request.method == .get || request.method == .head else { return Response(status: .methodNotAllowed) }
        return Response(
            status: .ok, headers: [.contentType: "application/json", .cacheControl: "max-age=3600"],
            body: request.method == .head ? .init() : .init(byteBuffer: ByteBuffer(string: text)))
    }
}
