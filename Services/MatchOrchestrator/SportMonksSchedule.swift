import HTTPClient
public import ServiceKit
public import SightscreenModels
import SportMonks
public import Store

/// Reads the schedule page by page with `GET /fixtures` of SportMonks.
public struct SportMonksSchedule: FixtureSource {
    /// At 100 fixtures a page the bound is more than a month of all the world's matches.
    static let pagesMax = 30
    /// The bound is far above the size of a page without balls, some 300 kB.
    static let bodyBytesMax = 8 << 20

    private let url: ServiceURL
    private let token: Secret
    private let client: HTTPClient
    private let calls: ProviderCallStore
    private let hourlyLimit: Int

    /// - Parameters:
    ///   - lastCalls: gets the outcome of each call.
    ///   - calls: counts the calls of all services.
    ///   - hourlyLimit: the calls an hour that the provider allows; 0: no limit.
    public init(
        url: ServiceURL, token: Secret, allowsHTTP: Bool, lastCalls: LastCalls = LastCalls(), calls: ProviderCallStore,
        hourlyLimit: Int
    ) {
        self.url = url
        self.token = token
        self.calls = calls
        self.hourlyLimit = hourlyLimit
        client = HTTPClient(
            configuration: .init(
                userAgent: "sightscreen-orchestrator", allowHTTP: allowsHTTP,
                onAnswer: { lastCalls.record(.provider, status: $0) }))
    }

    public func fixtures(from: Int, to: Int) async throws -> FixtureSpan {
        var span = FixtureSpan(fixtures: [], calls: 0)
        var page = 1
        while true {
            let answer = try await self.page(page, from, to)
            span.calls += 1
            span.fixtures += answer.fixtures
            span.named += answer.problems.compactMap { $0.fixtureID.map { MatchID($0) } }
            span.namesAll = span.namesAll && answer.problems.allSatisfy { $0.fixtureID != nil }
            span.problems += answer.problems.map { "\($0)" }
            guard let next = answer.nextPage else { return span }
            guard next > page, next <= Self.pagesMax else {
                throw ScheduleError("the schedule has too many pages (\(next))")
            }
            page = next
        }
    }

    private func page(_ page: Int, _ from: Int, _ to: Int) async throws -> FixturesPage {
        let response = try await get(
            "/fixtures", ["filter[starts_between]=\(UTCDay(at: from)),\(UTCDay(at: to))", "page=\(page)"])
        guard response.status == 200 else { throw ScheduleError(response.status) }
        return try FixturesPage(response.body)
    }

    public func fixture(_ id: MatchID) async throws -> SingleFixture {
        let response = try await get("/fixtures/\(id)", [])
        if response.status == 404 { return .notFound }
        guard response.status == 200 else { throw ScheduleError(response.status) }
        do throws(ProviderAnswerError) {
            let fixture = try FixturesPage.fixture(from: response.body)
            return fixture.matchID == id ? .fixture(fixture) : .unread("it has the id \(fixture.id)")
        } catch {
            guard case .brokenFixture(let reason) = error else { throw error }
            return .unread(reason)
        }
    }

    private func get(_ path: String, _ query: [String]) async throws -> HTTPClientResponse {
        let query = (["api_token=\(Self.escaped(token.reveal()))", "include=\(FixturesPage.include)"] + query)
            .joined(separator: "&")
        let grant = try await calls.take(.fixtures, limit: hourlyLimit)
        guard grant.isGranted else {
            throw ScheduleError(
                grant.isFromProvider
                    ? "the provider has asked for silence" : "the provider's allowance for this hour is used up")
        }
        let response = try await client.send(
            HTTPClientRequest(
                url: url.appending("\(path)?") + query.escapingBrackets, headers: [("accept", "application/json")],
                timeout: .seconds(10), bodyBytesMax: Self.bodyBytesMax))
        if response.status == 429 {
            let seconds = response.header("retry-after").flatMap { Int($0) }.flatMap { $0 >= 0 ? $0 : nil }
            try await calls.refused(
                .fixtures, limit: hourlyLimit, retryAfter: seconds.map { .seconds(min($0, 86_400)) })
        }
        if response.status == 200, grant.refusals > 0 { try await calls.answered(.fixtures) }
        return response
    }

    private static func escaped(_ text: String) -> String {
        var escaped = ""
        for byte in text.utf8 {
            let scalar = Unicode.Scalar(byte)
            switch scalar {
            case "a"..."z", "A"..."Z", "0"..."9", "-", "_", ".", "~": escaped.unicodeScalars.append(scalar)
            default: escaped += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
            }
        }
        return escaped
    }
}

/// The provider did not give the schedule. The description is one line without the API token.
public struct ScheduleError: Error, Sendable, CustomStringConvertible {
    public let description: String
    init(_ description: String) { self.description = description }
    init(_ status: Int) { self.init("the provider answers \(status) to /fixtures") }
}

extension String {
    /// Escapes square brackets, which may not stand in a URL's query (RFC 3986).
    fileprivate var escapingBrackets: String {
        reduce(into: "") { $0 += $1 == "[" ? "%5B" : $1 == "]" ? "%5D" : String($1) }
    }
}
