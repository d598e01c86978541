import Glibc
import HTTPTypes
public import Hummingbird

/// Keeps other web pages away from what has no passwords: browsers carry every page's requests to this machine.
///
/// - A request must name this machine as its host, so that a name that another site points here is of no use to it.
/// - A request must come from a page of this port, or from no page at all; what changes something must not be what a form or
///   a script of another page can send unasked.
public struct PageGuard: Sendable {
    /// Which bodies are taken where a request names no page that it comes from.
    public enum Bodies: Sendable {
        /// `application/json`, and nothing without a body either.
        case json
        /// Also what curl says of a body when it is told nothing. A browser that sends such a one names its page.
        case commandLine
    }

    /// In small letters, of which any will do; nil: `isOwn` decides.
    private let names: Set<String>?
    private let bodies: Bodies
    /// Where to list more names.
    private let hint: String

    /// For a page and its API, under exactly these names.
    public init(names: Set<String>, hint: String) {
        self.names = Set(names.map { $0.lowercased() })
        self.hint = hint
        bodies = .json
    }

    /// For a control port that has no page.
    public init() {
        names = nil
        hint = "call it by an address, or by a name of this machine or network"
        bodies = .commandLine
    }

    /// - Parameter isPage: what a link of another page may lead to.
    /// - Throws: `Problem`.
    public func check(_ request: Request, isPage: Bool = false) throws {
        guard let host = request.head.authority, let name = Self.name(of: host),
            names.map({ $0.contains(name) }) ?? Self.isOwn(name)
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

    /// Addresses and names that only this machine or its network resolves: the name of a page of the Internet has a dot.
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

    /// Of `host`, `host:port`, `[address]` or `[address]:port`: the host, in small letters.
    private static func name(of authority: String) -> String? {
        if authority.first == "[" {
            guard let end = authority.firstIndex(of: "]") else { return nil }
            return authority[authority.index(after: authority.startIndex)..<end].lowercased()
        }
        let name = authority.prefix { $0 != ":" }.lowercased()
        return name.isEmpty ? nil : name
    }
}

/// The guard in front of a router.
public struct PageGuardMiddleware<Context: RequestContext>: RouterMiddleware {
    private let pages = PageGuard()

    public init() {}

    public func handle(
        _ request: Request, context: Context, next: @concurrent (Request, Context) async throws -> Response
    ) async throws -> Response {
        try pages.check(request)
        return try await next(request, context)
    }
}
