import ControlHTTP
import HTTPTypes
import Hummingbird

/// Keeps other web pages away from the lab, and limits what its own page may do in a browser.
struct LabGuard: RouterMiddleware {
    typealias Context = LabContext

    private let pages: PageGuard

    /// - Parameter names: the names of this machine, in lower case.
    init(names: Set<String>) { pages = PageGuard(names: names, hint: "DEVICE_LAB_NAMES lists those that are") }

    static let policy = [
        "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self' data:", "connect-src 'self'",
        "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'", "require-trusted-types-for 'script'",
        "trusted-types 'none'",
    ].joined(separator: "; ")

    func handle(
        _ request: Request, context: LabContext, next: @concurrent (Request, LabContext) async throws -> Response
    ) async throws -> Response {
        var response: Response
        do {
            // Following a link to the page is harmless.
            try pages.check(request, isPage: !request.uri.path.hasPrefix("/api/"))
            response = try await next(request, context)
        } catch let error as HTTPError where error.body == nil {
            // The framework's errors have only a status.
            let problem = Problem(error.status, error.status == .notFound ? "there is no such call" : "that is no call")
            response = try problem.response(from: request, context: context)
        } catch let error as any HTTPResponseError {
            response = try error.response(from: request, context: context)
        }
        response.headers[.contentSecurityPolicy] = Self.policy
        response.headers[.xContentTypeOptions] = "nosniff"
        for (name, value) in [
            ("Referrer-Policy", "no-referrer"), ("Cross-Origin-Opener-Policy", "same-origin"),
            ("Cross-Origin-Resource-Policy", "same-origin"), ("X-Frame-Options", "DENY"),
        ] {
            if let name = HTTPField.Name(name) { response.headers[name] = value }
        }
        return request.method == .head ? response.createHeadResponse() : response
    }
}
