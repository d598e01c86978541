import APNsProtocol
import FoundationEssentials
import HTTPClient
import Logging
import SightscreenClientTesting
import SightscreenModels

/// Something that arrives at a phone.
enum PhonePush: Sendable {
    case push(RawPush)
    case broadcast(BroadcastPush)
}

/// Apple's servers as the phones see them: each of a phone's tokens is registered there before the app learns it, and
/// pushes to it arrive. apns-simulator holds the tokens and keeps the log from which the pushes are read.
actor SimulatedAPNs {
    /// The longest wait of one request for the next push.
    private static let patience = Duration.seconds(20)
    private static let retryInterval = Duration.milliseconds(500)
    private static let linesAtOnce = 500

    private struct Known {
        var kind: PushTokenKind
        var match: MatchID?
        var shown: Stamp?
        var inbox: AsyncStream<PhonePush>.Continuation
    }

    /// The log no longer has the lines after those that were read, or it is another log.
    private struct Gone: Error { var newest: Int }

    private struct Unreachable: Error {}

    private let base: String
    private let http: HTTPClient
    private let logger: Logger
    private var known: [String: Known] = [:]
    /// Tokens whose end is not reported to apns-simulator yet.
    private var pending: Set<String> = []
    private var isOver = false

    init(base: String, http: HTTPClient, logger: Logger) {
        self.base = base
        self.http = http
        self.logger = logger
    }

    /// The sink for the tokens of one phone.
    nonisolated func sink(_ inbox: AsyncStream<PhonePush>.Continuation) -> some TokenSink {
        PhoneTokens(apple: self, inbox: inbox)
    }

    private struct PhoneTokens: TokenSink {
        let apple: SimulatedAPNs
        let inbox: AsyncStream<PhonePush>.Continuation

        func issued(_ token: String, _ kind: PushTokenKind, match: MatchID?, shown: Stamp?) async {
            await apple.issued(token, Known(kind: kind, match: match, shown: shown, inbox: inbox))
        }

        func died(_ token: String) async { await apple.died(token) }
    }

    /// Registers a token. It returns once Apple knows the token.
    private func issued(_ token: String, _ entry: Known) async {
        known[token] = entry
        while known[token] != nil, !isOver, !Task.isCancelled {
            if (try? await register([token])) != nil { return await sendPending() }
            try? await Task.sleep(for: Self.retryInterval)
        }
    }

    private func died(_ token: String) async {
        guard known.removeValue(forKey: token) != nil else { return }
        pending.insert(token)
        await sendPending()
    }

    private func sendPending() async {
        for token in pending {
            guard let status = try? await call("DELETE", "/tokens/\(token)").status, status < 500 else { return }
            pending.remove(token)
        }
    }

    private func register(_ tokens: [String]) async throws {
        struct Body: Encodable {
            var token: String
            var kind: PushTokenKind
            var environment = APNsEnvironment.production
            var timestamp: Stamp?
            var match: Int64?
        }
        let bodies = tokens.compactMap { token in
            known[token].map {
                Body(token: token, kind: $0.kind, timestamp: $0.shown, match: $0.match?.rawValue)
            }
        }
        guard !bodies.isEmpty else { return }
        let answer = try await call("POST", "/tokens", [UInt8](try JSONEncoder().encode(bodies)))
        guard answer.status == 201 else { throw Unreachable() }
        // A token that ended meanwhile may have been reported before it was registered.
        pending.formUnion(tokens.filter { known[$0] == nil })
    }

    // MARK: - Pushes

    /// Delivers pushes as they arrive, until it is cancelled.
    func run() async {
        defer { isOver = true }
        var since: Int?
        var isDown = false
        while !Task.isCancelled {
            do {
                if since == nil || isDown {
                    // A simulator that was restarted has no tokens.
                    try await register(Array(known.keys))
                }
                await sendPending()
                if isDown { logger.notice("apns-simulator answers again") }
                isDown = false
                let last = if let since { since } else { try await newest() }
                since = try await deliver(after: last)
            } catch let gone as Gone {
                // The tokens that the restarted simulator knows were registered after its first line.
                since = gone.newest < since ?? 0 ? 0 : gone.newest
                isDown = true
            } catch {
                if !isDown, !Task.isCancelled { logger.warning("apns-simulator does not answer; it is asked again") }
                isDown = true
                try? await Task.sleep(for: Self.retryInterval)
            }
        }
    }

    /// The number of the log's last line, which the simulator names when asked for a line that does not exist.
    private func newest() async throws -> Int {
        do {
            _ = try await lines(after: Int.max >> 1, limit: 1)
            return 0
        } catch let gone as Gone { return gone.newest }
    }

    /// - Returns: the number of the last line that was read.
    private func deliver(after since: Int) async throws -> Int {
        var answer = try await lines(after: since, limit: Self.linesAtOnce)
        if answer.isEmpty { answer = try await lines(after: since, limit: 1, waits: true) }
        var last = since
        for line in answer.split(separator: UInt8(ascii: "\n")) {
            // Numbers have no gaps, and a line that cannot be read does not block the next.
            last += 1
            guard let delivery = try? DeliveryLine(line) else {
                logger.warning("A line of apns-simulator cannot be read", metadata: ["seq": "\(last)"])
                continue
            }
            last = delivery.seq
            if let push = delivery.push { known[push.token]?.inbox.yield(.push(push)) }
            if let broadcast = delivery.broadcast {
                // Each phone has one device token, and knows what it listens to.
                for phone in known.values where phone.kind == .device { phone.inbox.yield(.broadcast(broadcast)) }
            }
        }
        return last
    }

    private func lines(after since: Int, limit: Int, waits: Bool = false) async throws -> [UInt8] {
        let path = "/deliveries?since=\(since)&limit=\(limit)\(waits ? "&follow=1" : "")"
        let answer: HTTPClientResponse
        do { answer = try await call("GET", path) } catch let error as HTTPClientError where waits {
            guard error.code == .timeout else { throw error }
            return []
        }
        if answer.status == 410 {
            struct Problem: Decodable { var newest: Int }
            throw Gone(newest: try JSONDecoder().decode(Problem.self, from: Data(answer.body)).newest)
        }
        guard answer.status == 200 else { throw Unreachable() }
        return answer.body
    }

    private func call(_ method: String, _ path: String, _ body: [UInt8]? = nil) async throws -> HTTPClientResponse {
        try await http.send(
            HTTPClientRequest(
                method: method, url: base + path, headers: [("content-type", "application/json")], body: body,
                timeout: Self.patience, bodyBytesMax: 8 << 20))
    }
}
