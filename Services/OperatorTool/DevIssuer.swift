import ControlHTTP
import FoundationEssentials
import HTTPTypes
import Hummingbird
import Logging
import NIOCore

/// Publishes the development key as a Cognito user pool publishes its keys, and signs in any user by name alone.
///
/// - `GET /.well-known/jwks.json`
/// - `POST /token` `{"user": "asha"}` → `{"accessToken": "…", "expiresIn": 86400}`: any name is a user, and none is an
///   administrator. The token's issuer is the address that was called.
///
/// `PageGuard` keeps web pages away.
struct DevIssuer: Sendable {
    static let bodyBytesMax = 1_024
    static let lifetime = 86_400

    let identity: DevelopmentIdentity

    /// - Parameter onReady: called with the port, which the system chooses when `port` is 0.
    func application(
        host: String, port: Int, logger: Logger, onReady: @escaping @Sendable (Int) async -> Void = { _ in }
    ) -> some ApplicationProtocol {
        let jwks = identity.jwks
        let pages = PageGuard()
        let responder = CallbackResponder<BasicRequestContext> { request, context in
            do { try pages.check(request) } catch let problem as Problem {
                return try problem.response(from: request, context: context)
            }
            return request.uri.path == "/token" ? try await signIn(request) : Self.answer(request, jwks: jwks)
        }
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

    private func signIn(_ request: Request) async throws -> Response {
        struct Question: Decodable { var user: String }
        struct Answer: Encodable {
            var accessToken: String
            var expiresIn: Int
        }
        guard request.method == .post else { return Response(status: .methodNotAllowed) }
        guard let address = request.head.authority, let body = try? await request.body.collect(upTo: Self.bodyBytesMax),
            let question = try? JSONDecoder().decode(Question.self, from: Data(body.readableBytesView)),
            (1...128).contains(question.user.utf8.count)
        else { return Response(status: .badRequest) }
        let token = try identity.token(
            user: question.user, isAdmin: false, issuer: "http://\(address)", clientID: DevelopmentSecrets.clientID,
            lifetime: Self.lifetime)
        let bytes = try JSONEncoder().encode(Answer(accessToken: token, expiresIn: Self.lifetime))
        return Response(
            status: .ok, headers: [.contentType: "application/json", .cacheControl: "no-store"],
            body: .init(byteBuffer: ByteBuffer(bytes: bytes)))
    }
}
