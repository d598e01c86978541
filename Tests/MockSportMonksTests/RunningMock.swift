import FoundationEssentials
import HTTPClient
import Logging
import MockSportMonks
import ServiceKit
import ServiceLifecycle
import Tapes

/// A `mock-sportmonks` on a free port, in this process, spoken to over real HTTP.
struct RunningMock: Sendable {
    struct Position: Decodable {
        var matchId: String
        var title: String
        var variant: String
        var seed: UInt64
        var cursor: Int
        var frames: Int
        var label: String
        var playing: Bool
        var speed: Double
        var isLast: Bool
    }

    static let token = "a token of two words"
    static let tapes =
        #filePath.split(separator: "/").dropLast(2).reduce(into: "") { $0 += "/\($1)" } + "/Fixtures/matches"

    let base: String
    let http: HTTPClient

    static func with(
        tapes: String = RunningMock.tapes, hourlyLimit: Int = 0, load: String? = nil, speed: Double = 1,
        variant: TapeVariant = .clean, seed: UInt64 = 0, _ body: (RunningMock) async throws -> Void
    ) async throws {
        var configuration = MockSportMonksConfiguration(tapes: tapes, token: Secret(token))
        configuration.hourlyLimit = hourlyLimit
        configuration.load = load
        configuration.speed = speed
        configuration.variant = variant
        configuration.seed = seed
        let (ports, continuation) = AsyncStream.makeStream(of: Int.self)
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        let service = MockSportMonksService(configuration, logger: logger) { continuation.yield($0) }
        let group = ServiceGroup(configuration: .init(services: [.init(service: service)], logger: logger))
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await group.run() }
            guard let port = await ports.first(where: { _ in true }) else { return }
            let mock = RunningMock(
                base: "http://127.0.0.1:\(port)", http: HTTPClient(configuration: .init(allowHTTP: true)))
            do {
                try await body(mock)
            } catch {
                await group.triggerGracefulShutdown()
                throw error
            }
            await group.triggerGracefulShutdown()
            try await tasks.waitForAll()
        }
    }

    /// A call of the provider's API.
    func get(_ path: String, _ query: [String] = [], token: String? = RunningMock.token) async throws
        -> HTTPClientResponse
    {
        let all = query + (token.map { ["api_token=\($0)"] } ?? [])
        let escaped = all.joined(separator: "&").map { character in
            character == " " ? "%20" : character == "[" ? "%5B" : character == "]" ? "%5D" : String(character)
        }.joined()
        return try await http.send(
            HTTPClientRequest(
                url: "\(base)/api/v2.0/\(path)?\(escaped)", timeout: .seconds(20), bodyBytesMax: 64 << 20))
    }

    func control(_ method: String, _ path: String, _ body: String? = nil) async throws -> HTTPClientResponse {
        try await http.send(
            HTTPClientRequest(
                method: method, url: "\(base)/control/\(path)", headers: [("content-type", "application/json")],
                body: body.map { Array($0.utf8) } ?? (method == "POST" ? [] : nil), timeout: .seconds(20)))
    }

    func position(_ method: String, _ path: String, _ body: String? = nil) async throws -> Position {
        let answer = try await control(method, path, body)
        return try JSONDecoder().decode(Position.self, from: Data(answer.body))
    }

    func load(_ tape: String, speed: Double = 1) async throws -> Position {
        try await position("POST", "tapes/\(tape)/load", #"{"paused":true,"speed":\#(speed)}"#)
    }
}
