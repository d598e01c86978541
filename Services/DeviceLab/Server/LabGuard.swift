import ControlHTTP
import HTTPTypes
import Hummingbird

/// Keeps other web pages away from the lab: it has no passwords, and browsers carry every page's requests.
///
/// - A request must name this machine as its host, so that a name which somebody else points here is of no use to them.
/// - A request that changes something must come from the lab's own page, or from no page at all, and be JSON, which no
///   form of another page can send unasked.
struct LabGuard: RouterMiddleware {
    typealias Context = LabContext

    /// Names of this machine, in small letters.
    let names: Set<String>

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
            try check(request)
            response = try await next(request, context)
        } catch let error as HTTPError where error.body == nil {
            // Of the framework, which says nothing but the status.
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

    private func check(_ request: Request) throws {
        guard let host = request.head.authority, let name = Self.name(of: host), names.contains(name) else {
            throw Problem(
                .misdirectedRequest, "this host is not known here; DEVICE_LAB_NAMES lists those that are")
        }
        let isRead = request.method == .get || request.method == .head
        if let site = Self.field("Sec-Fetch-Site", request), site != "same-origin", site != "none" {
            // Following a link to the page is harmless.
            guard isRead, !request.uri.path.hasPrefix("/api/") else {
                throw Problem(.forbidden, "only the lab's own page may do that")
            }
        }
        guard !isRead else { return }
        if let origin = Self.field("Origin", request), origin != "http://\(host)", origin != "https://\(host)" {
            throw Problem(.forbidden, "only the lab's own page may do that")
        }
        let type = request.headers[.contentType]?.prefix { $0 != ";" && $0 != " " }.lowercased()
        guard type == "application/json" else {
            throw Problem(.unsupportedMediaType, "the body is application/json")
        }
    }

    private static func field(_ name: String, _ request: Request) -> String? {
        HTTPField.Name(name).flatMap { request.headers[$0] }?.lowercased()
    }

    /// Of `host`, `host:port`, `[address]` or `[address]:port`: the host, in small letters.
    static func name(of authority: String) -> String? {
        if authority.first == "[" {
            guard let end = authority.firstIndex(of: "]") else { return nil }
            return authority[authority.index(after: authority.startIndex)..<end].lowercased()
        }
        return authority.prefix { $0 != ":" }.lowercased()
    }
}
