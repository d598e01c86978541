import FoundationEssentials
import SightscreenModels
@testable import SightscreenClient

/// The gateway's lists of matches in memory, with entity tags and pages like the real one. It refuses calls that the
/// contract does not describe, and can be made to fail.
actor ScheduleGateway: APITransport {
    /// The failure of a call.
    enum Trouble: Sendable {
        case refusal(Int, retryAfter: Int? = nil)
        case transport(TransportError)
        case garbage
        /// The answer is a list that the contract does not allow.
        case body(String)
        /// The call waits for `release`.
        case held
    }

    struct Call: Hashable, Sendable {
        var line: String
        var tag: String?
        /// The status of the answer; nil when there was none.
        var status: Int?
    }

    private let contract: OpenAPIContract
    private var days: [UTCDay: [MatchItem]] = [:]
    private var live: [MatchItem] = []
    private var interval = 5_000
    private var pageSize = 200
    private var isOffline = false
    private var troubles: [Trouble] = []
    private var waiting: [CheckedContinuation<Void, Never>] = []
    private var tokens: Set<String> = ["good"]
    private(set) var calls: [Call] = []
    /// The most calls that were under way at the same time.
    private(set) var mostAtOnce = 0
    private var underWay = 0

    init() throws { contract = try .served() }

    // MARK: - The script

    func set(_ matches: [MatchItem], on day: UTCDay) { days[day] = matches }

    func setLive(_ matches: [MatchItem], retryAfterMs: Int) {
        live = matches
        interval = retryAfterMs
    }

    func accept(_ bearer: String) { tokens.insert(bearer) }
    func setInterval(_ retryAfterMs: Int) { interval = retryAfterMs }
    func setPageSize(_ size: Int) { pageSize = size }
    func setOffline(_ isOffline: Bool) { self.isOffline = isOffline }

    /// Sets the failures of the next calls, one each.
    func trouble(_ next: Trouble...) { troubles += next }

    func release() {
        for continuation in waiting { continuation.resume() }
        waiting = []
    }

    var heldCount: Int { waiting.count }
    var callCount: Int { calls.count }
    func calls(of day: UTCDay) -> [Call] { calls.filter { $0.line.contains("date=\(day)") } }

    // MARK: - APITransport

    func send(_ request: APIRequest) async throws(TransportError) -> APIResponse {
        let place = calls.count
        calls.append(Call(line: "\(request.method) \(request.path)", tag: request.headers["if-none-match"]))
        underWay += 1
        mostAtOnce = max(mostAtOnce, underWay)
        defer { underWay -= 1 }
        if isOffline { throw .offline }
        if !troubles.isEmpty {
            switch troubles.removeFirst() {
            case .refusal(let status, let retryAfter): return refusal(status, "unavailable", retryAfter: retryAfter)
            case .transport(let error): throw error
            case .garbage: return APIResponse(status: 200, body: Array("<html>".utf8))
            case .body(let json): return APIResponse(status: 200, body: Array(json.utf8))
            case .held: await withCheckedContinuation { waiting.append($0) }
            }
        }
        if Task.isCancelled { throw .cancelled }
        let answer = answer(to: request)
        calls[place].status = answer.status
        return answer
    }

    private func answer(to request: APIRequest) -> APIResponse {
        let parts = request.path.split(separator: "?", maxSplits: 1)
        guard let operation = contract.operation(request.method, String(parts[0])) else {
            return refusal(404, "not-found")
        }
        guard let bearer = request.headers["authorization"], tokens.contains(String(bearer.dropFirst("Bearer ".count)))
        else { return refusal(401, "unauthorized") }
        let query = parts.count > 1 ? parts[1] : ""
        if let fault = contract.fault(inQuery: query, of: operation) { return refusal(400, fault) }
        switch operation.path {
        case "/matches": return tagged(page(query), request)
        case "/matches/live": return tagged(LiveMatchesResponse(matches: live, retryAfterMs: interval), request)
        default: return refusal(404, "not-found")
        }
    }

    /// Returns a page. The cursor is the index of the page's first match.
    private func page(_ query: Substring) -> MatchesResponse {
        var fields: [Substring: Substring] = [:]
        for pair in query.split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1)
            if parts.count == 2 { fields[parts[0]] = parts[1] }
        }
        let all = fields["date"].flatMap { UTCDay(String($0)) }.map { days[$0] ?? [] } ?? []
        let from = fields["cursor"].flatMap { Int($0.prefix { $0 != "-" }) } ?? 0
        let size = min(pageSize, fields["limit"].flatMap { Int($0) } ?? 50)
        let page = all.dropFirst(from).prefix(size)
        let next = from + size < all.count ? "\(from + size)-1" : nil
        let isLive = page.contains { $0.status == .live }
        return MatchesResponse(matches: Array(page), nextCursor: next, retryAfterMs: isLive ? interval : 30_000)
    }

    private func tagged(_ value: some Encodable, _ request: APIRequest) -> APIResponse {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        guard let data = try? encoder.encode(value) else { return refusal(500, "internal-error") }
        let tag = "\"\(CRC32.of([UInt8](data)[...]))\""
        if request.headers["if-none-match"] == tag { return APIResponse(status: 304, headers: ["etag": tag]) }
        return APIResponse(
            status: 200, headers: ["content-type": "application/json", "etag": tag], body: [UInt8](data))
    }

    private func refusal(_ status: Int, _ kind: String, retryAfter: Int? = nil) -> APIResponse {
        let document = ProblemDocument(type: "/problems/\(kind)", title: kind, status: status, requestId: "test")
        return APIResponse(
            status: status, headers: retryAfter.map { ["retry-after": String($0)] } ?? [:],
            body: (try? JSONEncoder().encode(document)).map { [UInt8]($0) } ?? [])
    }
}
