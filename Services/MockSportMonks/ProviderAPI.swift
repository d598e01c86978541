import ControlHTTP
import HTTPTypes
import Hummingbird
import NIOCore
import ServiceKit
import ServiceLifecycle
import SightscreenModels
import SportMonks
import Tapes

/// The part of the provider's API that the suite uses, under `/api/v2.0`: `/livescores`, `/fixtures` and
/// `/fixtures/{id}`.
///
/// Every call needs `api_token`. Errors have the form of a Laravel API, `{"message": "…"}`.
struct ProviderAPI: Sendable {
    static let path = "api/v2.0"
    static let perPage = 100

    let registry: MatchRegistry
    let token: Secret

    func add(to router: Router<BasicRequestContext>) {
        let api = router.group(RouterPath(Self.path))
        api.get("livescores") { request, _ in try await answer(request, .livescores, livescores) }
        api.get("fixtures") { request, _ in try await answer(request, .fixtures, fixtures) }
        api.get("fixtures/:id") { request, context in
            let id = MatchID(try context.parameters.require("id"))
            return try await answer(request, .fixture) { try await fixture(id, $0) }
        }
    }

    /// The parameters of one call, and the fault that changes its answer.
    private struct Call {
        var authority: String
        /// The decoded names and values; brackets of filters come escaped or plain.
        var query: [(name: String, value: String)]
        var rowsBehind: Int

        init(_ request: Request, rowsBehind: Int) {
            authority = request.head.authority ?? "localhost"
            query = request.uri.queryParameters.map { name, value in
                (Self.unescaped(name), String(value))
            }
            self.rowsBehind = rowsBehind
        }

        var include: String { self["include"] ?? "" }

        /// The framework decodes only the values; a name has nothing to escape except brackets.
        private static func unescaped(_ name: Substring) -> String {
            var text = String(name)
            for (escape, character) in [("%5B", "["), ("%5b", "["), ("%5D", "]"), ("%5d", "]")] {
                text = text.replacing(escape, with: character)
            }
            return text
        }

        subscript(_ name: String) -> String? { query.first { $0.name == name }?.value }
    }

    private struct Refusal: Error {
        var status: HTTPResponse.Status
        var message: String
    }

    private static let notFound = Refusal(status: .notFound, message: "The requested record was not found.")

    // MARK: Answers

    private func livescores(_ call: Call) async throws -> [UInt8] {
        let players = try filtered(await registry.all().filter(\.isListed), call)
        var elements: [[UInt8]] = []
        for player in players { elements.append(try await json(player, call)) }
        var answer = JSONBytes(capacity: elements.reduce(64) { $0 + $1.count + 1 })
        answer.object {
            $0.key("data")
            $0.array { array in for element in elements { array.raw(element) } }
        }
        return answer.bytes
    }

    private func fixture(_ id: MatchID?, _ call: Call) async throws -> [UInt8] {
        guard let player = await registry.all().first(where: { $0.tape.id == id?.rawValue }) else {
            throw Self.notFound
        }
        let fixture = try await json(player, call)
        var answer = JSONBytes()
        answer.object { $0.field("data", raw: fixture) }
        return answer.bytes
    }

    private func fixtures(_ call: Call) async throws -> [UInt8] {
        var players = try filtered(await registry.all(), call)
        try sort(&players, by: call["sort"])
        let lastPage = max((players.count + Self.perPage - 1) / Self.perPage, 1)
        let text = call["page"] ?? "1"
        guard let page = Int(text), page > 0 else {
            throw Refusal(status: .badRequest, message: "The page must be an integer.")
        }
        let first = (page - 1).multipliedReportingOverflow(by: Self.perPage)
        let start = first.overflow ? players.count : min(first.partialValue, players.count)
        let shown = players[start..<min(start + Self.perPage, players.count)]
        var elements: [[UInt8]] = []
        for player in shown { elements.append(try await json(player, call)) }
        let path = "http://\(call.authority)/\(Self.path)/fixtures"
        var answer = JSONBytes()
        answer.object {
            $0.key("data")
            $0.array { array in for element in elements { array.raw(element) } }
            $0.key("links")
            $0.object {
                $0.field("first", "\(path)?page=1")
                $0.field("last", "\(path)?page=\(lastPage)")
                $0.field("prev", page > 1 ? "\(path)?page=\(page - 1)" : nil)
                $0.field("next", page < lastPage ? "\(path)?page=\(page + 1)" : nil)
            }
            $0.key("meta")
            $0.object {
                $0.field("current_page", page)
                $0.field("from", elements.isEmpty ? nil : Int64(start + 1))
                $0.field("last_page", lastPage)
                $0.field("path", path)
                $0.field("per_page", Self.perPage)
                $0.field("to", elements.isEmpty ? nil : Int64(start + elements.count))
                $0.field("total", players.count)
            }
        }
        return answer.bytes
    }

    private func json(_ player: MatchPlayer, _ call: Call) async throws -> [UInt8] {
        guard let screen = await registry.screen(player) else {
            throw Self.notFound
        }
        return try await screen.json(player, include: call.include, rowsBehind: call.rowsBehind)
    }

    // MARK: Filters

    private func filtered(_ players: [MatchPlayer], _ call: Call) throws -> [MatchPlayer] {
        var players = players
        for (name, text) in call.query where name.hasPrefix("filter[") {
            switch name {
            case "filter[starts_between]":
                let span = try Self.span(text)
                players = players.filter { span.contains($0.clock.startsAt) }
            case "filter[status]":
                let wanted = text.split(separator: ",").map(String.init)
                players = players.filter { wanted.contains($0.tape.frame($0.frameIndex).status) }
            case "filter[league_id]": players = try Self.keep(players, text) { $0.tape.leagueID }
            case "filter[season_id]": players = try Self.keep(players, text) { $0.tape.seasonID }
            case "filter[localteam_id]": players = try Self.keep(players, text) { $0.tape.homeTeamID }
            case "filter[visitorteam_id]": players = try Self.keep(players, text) { $0.tape.awayTeamID }
            default:
                throw Refusal(
                    status: .badRequest, message: "Requested filter `\(name.dropFirst(7).dropLast())` is not allowed.")
            }
        }
        return players
    }

    private static func keep(
        _ players: [MatchPlayer], _ list: String, _ id: (MatchPlayer) -> Int64
    ) throws -> [MatchPlayer] {
        let wanted = list.split(separator: ",").map { Int64($0) }
        guard !wanted.isEmpty, !wanted.contains(nil) else {
            throw Refusal(status: .badRequest, message: "A filter of ids wants numbers.")
        }
        return players.filter { wanted.contains(id($0)) }
    }

    /// The span of `2026-10-09,2026-10-12`, or of two times. Its end does not belong to it, and a day begins at its
    /// midnight: one day alone is an empty span.
    private static func span(_ text: String) throws -> Range<Int> {
        let ends = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        guard ends.count == 2, let from = ProviderTime.seconds(ends[0]), let to = ProviderTime.seconds(ends[1]) else {
            throw Refusal(status: .badRequest, message: "starts_between wants two dates.")
        }
        guard from <= to else {
            throw Refusal(status: .badRequest, message: "starts_between wants two dates in order.")
        }
        return from..<to
    }

    private func sort(_ players: inout [MatchPlayer], by order: String?) throws {
        guard let order else { return }
        let isDescending = order.hasPrefix("-")
        switch isDescending ? String(order.dropFirst()) : order {
        case "id": players.sort { $0.tape.id < $1.tape.id }
        case "starting_at": players.sort { ($0.clock.startsAt, $0.tape.id) < ($1.clock.startsAt, $1.tape.id) }
        default: throw Refusal(status: .badRequest, message: "Requested sort is not allowed.")
        }
        if isDescending { players.reverse() }
    }

    // MARK: Every call

    private func answer(
        _ request: Request, _ endpoint: ProviderEndpoint, _ body: (Call) async throws -> [UInt8]
    ) async throws -> Response {
        guard request.uri.queryParameters["api_token"].map(String.init) == token.reveal() else {
            return try refusal(Refusal(status: .unauthorized, message: "Unauthenticated."))
        }
        let remaining = await registry.count(endpoint)
        if let remaining, remaining < 0 {
            var response = try refusal(Refusal(status: .tooManyRequests, message: "Too Many Attempts."))
            response.headers[Self.remaining] = "0"
            return response
        }
        let fault = await registry.fault(for: endpoint)
        if fault?.kind == .timeout { try await hold(request) }
        let call = Call(request, rowsBehind: fault?.kind == .torn ? 1 : 0)
        var response = try await answer(call, endpoint, fault, body)
        if let remaining { response.headers[Self.remaining] = String(remaining) }
        return response
    }

    private func answer(
        _ call: Call, _ endpoint: ProviderEndpoint, _ fault: ProviderFault?, _ body: (Call) async throws -> [UInt8]
    ) async throws -> Response {
        if let status = fault?.kind.status {
            var response = try refusal(
                Refusal(status: .init(code: status), message: status == 429 ? "Too Many Attempts." : "Server Error"))
            if let seconds = fault?.retryAfter { response.headers[.retryAfter] = String(seconds) }
            return response
        }
        if fault?.kind == .forgotten {
            guard endpoint != .fixture else { return try refusal(Self.notFound) }
            return JSONAnswer.raw(Array(#"{"data":[]}"#.utf8))
        }
        let bytes: [UInt8]
        do { bytes = try await body(call) } catch let error as Refusal { return try refusal(error) }
        switch fault?.kind {
        case .html:
            return JSONAnswer.raw(Array(Self.page.utf8), contentType: "text/html; charset=UTF-8")
        case .empty: return JSONAnswer.raw([])
        case .noData: return JSONAnswer.raw(Array(#"{"message":"Something went wrong"}"#.utf8))
        case .truncated: return truncated(bytes)
        case .gzipBomb:
            var response = JSONAnswer.raw(GzipBomb.bytes)
            response.headers[.contentEncoding] = "gzip"
            return response
        case .cut: return JSONAnswer.raw(Array(bytes.prefix(bytes.count / 2)))
        case .slow:
            try await Task.sleep(for: .milliseconds(fault?.delayMs ?? 10_000))
            return JSONAnswer.raw(bytes)
        default: return JSONAnswer.raw(bytes)
        }
    }
    /// Waits until the client closes the connection or the service ends.
    private func hold(_ request: Request) async throws {
        try await cancelWhenGracefulShutdown {
            try await request.body.consumeWithCancellationOnInboundClose { _ in
                while true { try await Task.sleep(for: .seconds(3_600)) }
            }
        }
    }

    /// Half of the body that the header promises; then the connection closes.
    private func truncated(_ bytes: [UInt8]) -> Response {
        struct BrokenOff: Error {}
        let body = ResponseBody(contentLength: max(bytes.count, 2)) { writer in
            try await writer.write(ByteBuffer(bytes: bytes.prefix(bytes.count / 2)))
            throw BrokenOff()
        }
        return Response(status: .ok, headers: [.contentType: "application/json"], body: body)
    }

    private func refusal(_ refusal: Refusal) throws -> Response {
        try JSONAnswer.response(["message": refusal.message], status: refusal.status)
    }

    private static let remaining = HTTPField.Name("x-ratelimit-remaining") ?? .retryAfter

    private static let page = """
        <!DOCTYPE html>
        <html><head><title>Just a moment...</title></head>
        <body><h1>503 Service Temporarily Unavailable</h1></body></html>
        """
}
