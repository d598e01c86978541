import Glibc
import HTTPTypes
public import Hummingbird

/// Keeps other web pages away from servers without passwords: browsers carry every page's requests to this machine.
///
/// - A request must name this machine as its host, so that a name which another site points here is useless to it.
/// - A request must come from a page of this port, or from no page at all. A request that changes something must not
///   have a body that a form or a script of another page can send unasked.
public struct PageGuard: Sendable {
    /// The bodies that are accepted when a request names no page that it comes from.
    public enum Bodies: Sendable {
        /// Only `application/json`; without a body nothing either.
        case json
        /// Also the type that curl gives a body by default. A browser that sends such a body names its page.
        case commandLine
    }

    /// The accepted hosts in lower case.
    private let names: Set<String>
    /// Whether hosts that `isOwn` are accepted as well.
    private let takesOwn: Bool
    private let bodies: Bodies
    /// The sentence that says how a caller can use another name.
    private let hint: String

    /// Guards a page and its API under exactly these names.
    public init(names: Set<String>, hint: String) {
        self.names = Set(names.map { $0.lowercased() })
        takesOwn = false
        self.hint = hint
        bodies = .json
    }

    /// Guards a port that has no page, called by an address, by a name of this machine or network, or by one of `names`.
    public init(
        besides names: Set<String> = [], hint: String = "call it by an address, or by a name of this machine or network"
    ) {
        self.names = Set(names.map { $0.lowercased() })
        takesOwn = true
        self.hint = hint
        bodies = .commandLine
    }

    /// - Parameter isPage: whether a link of another page may lead to the path.
    /// - Throws: `Problem`.
    public func check(_ request: Request, isPage: Bool = false) throws {
        guard let host = request.head.authority, let name = Self.name(of: host),
            names.contains(name) || takesOwn && Self.isOwn(name)
        else { throw Problem(.misdirectedRequest, "this host is not known here; \(hint)") }
        let isRead = request.method == .get || request.method == .head
        let site = Self.field("Sec-Fetch-Site", request)
        if let site, site != "same-origin", site != "none", !(isRead && isPage) { throw Self.otherPage }
        guard !isRead else { return }
        let origin = Self.field("Origin", request)
        if let origin, origin != "http://\(host.lowercased())", origin != "https://\(host.lowercased())" {
            throw Self.otherPage
        }
        let type = request.headers[.contentType].map { String($0.prefix { $0 != ";" && $0 != " " }).lowercased() }
        switch bodies {
        case .json:
            guard type == "application/json" else {
                throw Problem(.unsupportedMediaType, "the body is application/json")
            }
        case .commandLine:
            let isFromPage = origin != nil || site != nil
            guard type != "text/plain", type != "multipart/form-data",
                !isFromPage || type != "application/x-www-form-urlencoded"
            else { throw Problem(.unsupportedMediaType, "the body is application/json") }
        }
    }

    private static let otherPage = Problem(.forbidden, "another page may not do that")

    /// Whether the name is an address or a name that only this machine or its network resolves: the name of a page of
    /// the Internet has a dot.
    private static func isOwn(_ name: String) -> Bool {
        if !name.contains(".") { return true }
        var address = in_addr()
        if inet_pton(AF_INET, name, &address) == 1 { return true }
        return name.hasSuffix(".localhost") || name == machine || name == "\(machine).local"
    }

    private static let machine: String = {
        var buffer = [CChar](repeating: 0, count: 256)
        gethostname(&buffer, buffer.count - 1)
        return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self).lowercased()
    }()

    private static func field(_ name: String, _ request: Request) -> String? {
        HTTPField.Name(name).flatMap { request.headers[$0] }?.lowercased()
    }

    /// The host of `host`, `host:port`, `[address]` or `[address]:port`, in lower case.
    private static func name(of authority: String) -> String? {
        if authority.first == "[" {
            guard let end = authority.firstIndex(of: "]") else { return nil }
            return authority[authority.index(after: authority.startIndex)..<end].lowercased()
        }
        let name = authority.prefix { $0 != ":" }.lowercased()
        return name.isEmpty ? nil : name
    }
}

/// Guards all routes of a router.
public struct PageGuardMiddleware<Context: RequestContext>: RouterMiddleware {
    private let pages: PageGuard

    public init(_ pages: PageGuard = PageGuard()) { self.pages = pages }

    public func handle(
        _ request: Request, context: Context, next: @concurrent (Request, Context) async throws -> Response
    ) async throws -> Response {
        try pages.check(request)
        return try await next(request, context)
    }
}
