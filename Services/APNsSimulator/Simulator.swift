import APNsProtocol
import FoundationEssentials
import HTTP2
import Reactor
import Sightscreen
import Tokens

/// APNs as its clients meet it: knows tokens, judges requests, keeps a log of them, and misbehaves when asked to.
///
/// It lives on the thread that serves both of its HTTP/2 ports, so that a request is judged without leaving it.
actor Simulator {
    /// Tokens that it knows at once, deleted ones included.
    static let tokensMax = 4_000_000

    private struct Token {
        var registered: RegisteredToken
        var phone: DeviceModel
    }

    private struct Connection {
        var history = ProviderTokenHistory()
        /// It has shown a good provider token, and may have many streams.
        var isTrusted = false
    }

    private struct ConnectionKey: Hashable {
        var environment: APNsEnvironment
        var id: HTTP2ConnectionID
    }

    private nonisolated let reactor: Reactor
    nonisolated var unownedExecutor: UnownedSerialExecutor { reactor.asUnownedSerialExecutor() }

    private let configuration: SimulatorConfiguration
    private let checks: [APNsEnvironment: APNsRequestCheck]
    private var servers: [APNsEnvironment: HTTP2Server] = [:]
    private var tokens: [String: Token] = [:]
    private var connections: [ConnectionKey: Connection] = [:]
    private var faults = FaultList()
    private var log: DeliveryLog
    private var followers: [Int: AsyncStream<Void>.Continuation] = [:]
    private var nextFollower = 0
    private var isStopping = false
    /// Provider tokens that were found good, and when (seconds since 1970) they expire.
    private var goodUntil: [String: Int] = [:]
    /// Recent payloads: one version goes to many devices, and the log keeps it once.
    private var payloads: [[UInt8]: Payload] = [:]

    private struct Payload {
        var bytes: [UInt8]
        var isPush: Bool
        var event: LiveActivityPayload.Event?
    }

    init(_ configuration: SimulatorConfiguration, reactor: Reactor) throws {
        self.configuration = configuration
        self.reactor = reactor
        log = DeliveryLog(linesMax: configuration.deliveriesMax)
        let verifier = try ES256Verifier(pem: configuration.publicKeyPEM)
        let providerToken = ProviderTokenCheck(keyID: configuration.keyID, teamID: configuration.teamID) {
            verifier.isValid(signature: $0, of: $1)
        }
        checks = Dictionary(
            uniqueKeysWithValues: APNsEnvironment.allCases.map {
                (
                    $0,
                    APNsRequestCheck(
                        bundleID: configuration.bundleID, environment: $0, providerToken: providerToken)
                )
            })
    }

    /// The server of one environment, which its faults act on.
    func attach(_ server: HTTP2Server, _ environment: APNsEnvironment) { servers[environment] = server }

    func connectionChanged(_ id: HTTP2ConnectionID, _ environment: APNsEnvironment, isOpen: Bool) {
        if !isOpen { connections[ConnectionKey(environment: environment, id: id)] = nil }
    }

    // MARK: - Tokens

    /// Makes a token known, or known again. `shown` is the stamp that its activity shows already, if it is known.
    /// False when there are too many.
    func register(_ registered: RegisteredToken, shownStamp: Int?) -> Bool {
        guard tokens[registered.token] != nil || tokens.count < Self.tokensMax else { return false }
        tokens[registered.token] = Token(
            registered: registered,
            phone: DeviceModel(kind: registered.kind, shown: shownStamp.map(Stamp.init)))
        return true
    }

    /// From now on it is gone: 410. False when it is not known.
    func deleteToken(_ token: String, atMs: Int64) -> Bool {
        let token = token.lowercased()
        guard tokens[token] != nil else { return false }
        tokens[token]?.registered.deletedAtMs = atMs
        return true
    }

    var registeredTokens: [RegisteredToken] { tokens.values.map(\.registered).sorted { $0.token < $1.token } }

    // MARK: - Faults

    func addFault(_ fault: Fault) -> Int? { faults.add(fault) }
    func removeFaults() { faults.removeAll() }
    var pendingFaults: [FaultList.Entry] { faults.entries }

    // MARK: - Deliveries

    enum Page: Sendable {
        /// What comes after the given number, as lines, and the number to go on with.
        case lines([UInt8], next: Int)
        /// The given number is not in the log: dropped, or of another run.
        case gone(oldest: Int, newest: Int)
    }

    var newestDelivery: Int { log.newest }
    var oldestDelivery: Int { log.oldest }

    /// - Parameter tokens: only theirs; empty for all.
    func deliveries(after since: Int, of tokens: Set<String>, linesMax: Int) throws -> Page {
        guard log.canContinue(after: since) else { return .gone(oldest: log.oldest, newest: log.newest) }
        var bytes: [UInt8] = []
        var count = 0
        var seq = since
        while count < linesMax, let delivery = log[seq + 1] {
            seq += 1
            guard tokens.isEmpty || tokens.contains(delivery.token) else { continue }
            bytes += try delivery.line()
            count += 1
        }
        return .lines(bytes, next: seq)
    }

    /// Yields after deliveries were added; several at once may give one. Ends when the simulator stops.
    func follow() -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        guard !isStopping else {
            continuation.finish()
            return stream
        }
        let id = nextFollower
        nextFollower += 1
        followers[id] = continuation
        continuation.onTermination = { _ in Task { await self.removeFollower(id) } }
        return stream
    }

    /// Ends what followers wait for.
    func stopFollowers() {
        isStopping = true
        for follower in followers.values { follower.finish() }
    }

    private func removeFollower(_ id: Int) { followers[id] = nil }

    // MARK: - Requests

    func handle(_ request: HTTP2Request, _ environment: APNsEnvironment) async -> HTTP2Reply {
        let nowMs = WallClock.nowMs
        let push = APNsRequest(
            method: request.method, path: request.path, fields: request.headers.map { .init($0.name, $0.value) },
            body: request.body)
        let payload = payload(request.body)
        let id = push.field("apns-id") ?? UUID().uuidString
        let fault = faults.take(for: push, environment, event: payload.event)

        let judged = judge(push, from: request.connection, environment, now: Int(nowMs / 1_000))
        var answer = judged.answer
        switch fault?.action {
        case .answer(let other): answer = other
        case .reset, .goAway(_, processed: false), .mute(delivered: false), .close(delivered: false):
            answer = APNsAnswer(status: 0)
        case .goAway, .mute, .close, .delay, .streamLimit, nil: break
        }
        var deviceVerdict: DeviceVerdict?
        if answer.status == 200, let token = push.token {
            deviceVerdict = tokens[token]?.phone.receive(
                payload.bytes, expiration: push.field("apns-expiration").flatMap { Int($0) },
                attributesType: configuration.attributesType, now: Int(nowMs / 1_000))
        }
        record(
            push, payload, id: id, connection: request.connection, environment, atMs: nowMs, answer, deviceVerdict,
            fault)
        if judged.becomesTrusted {
            await servers[environment]?.setConcurrentStreamsMax(configuration.streamsMax, of: request.connection)
        }
        return await reply(to: request, environment, answer, id: id, fault: fault?.action)
    }

    private func judge(
        _ push: APNsRequest, from id: HTTP2ConnectionID, _ environment: APNsEnvironment, now: Int
    ) -> (answer: APNsAnswer, becomesTrusted: Bool) {
        guard let check = checks[environment] else { return (APNsAnswer(.internalServerError), false) }
        if let reason = check.refusalOfTarget(push) ?? refusalOfSender(push, check, now: now) {
            return (APNsAnswer(reason), false)
        }
        let key = ConnectionKey(environment: environment, id: id)
        var connection = connections[key] ?? Connection()
        defer { connections[key] = connection }
        if let reason = connection.history.refusal(of: push.field("authorization") ?? "", now: now) {
            return (APNsAnswer(reason), false)
        }
        let becomesTrusted = !connection.isTrusted
        connection.isTrusted = true
        let token = push.token.flatMap { tokens[$0]?.registered }
        return (check.answerToAuthorized(push, token: token), becomesTrusted)
    }

    /// A signature is checked once; its expiry every time.
    private func refusalOfSender(_ push: APNsRequest, _ check: APNsRequestCheck, now: Int) -> APNsReason? {
        let authorization = push.field("authorization")
        if let authorization, let until = goodUntil[authorization] {
            return now < until ? nil : .expiredProviderToken
        }
        if let reason = check.refusalOfSender(push, now: now) { return reason }
        if let authorization, let claims = ProviderTokenClaims(authorization: authorization) {
            if goodUntil.count >= 64 { goodUntil.removeAll() }
            goodUntil[authorization] = claims.issuedAt + ProviderTokenCheck.lifetimeSeconds
        }
        return nil
    }

    private func payload(_ bytes: [UInt8]) -> Payload {
        if let known = payloads[bytes] { return known }
        struct Push: Decodable {
            struct APS: Decodable { var event: LiveActivityPayload.Event? }
            var aps: APS
        }
        let decoded = try? JSONDecoder().decode(Push.self, from: Data(bytes))
        let payload = Payload(
            bytes: bytes, isPush: APNsRequestCheck.isPush(bytes) && String(validating: bytes, as: UTF8.self) != nil,
            event: decoded?.aps.event)
        if payloads.count >= 64 { payloads.removeAll() }
        payloads[bytes] = payload
        return payload
    }

    private func record(
        _ push: APNsRequest, _ payload: Payload, id: String, connection: HTTP2ConnectionID,
        _ environment: APNsEnvironment, atMs: Int64, _ answer: APNsAnswer, _ deviceVerdict: DeviceVerdict?,
        _ fault: Fault?
    ) {
        var headers = [":method": push.method, ":path": push.path, "apns-id": id]
        for field in push.fields where field.name.hasPrefix("apns-") { headers[field.name] = field.value }
        log.append { seq in
            Delivery(
                seq: seq, receivedAtMs: atMs, environment: environment, connection: connection.rawValue,
                token: push.token ?? "", headers: headers, payload: payload.bytes, payloadIsPush: payload.isPush,
                answer: answer, deviceVerdict: deviceVerdict, fault: fault?.name)
        }
        for follower in followers.values { follower.yield() }
    }

    private func reply(
        to request: HTTP2Request, _ environment: APNsEnvironment, _ answer: APNsAnswer, id: String,
        fault: Fault.Action?
    ) async -> HTTP2Reply {
        let server = servers[environment]
        switch fault {
        case .mute: return .silence
        case .close: return .disconnect
        case .reset(let code): return .reset(code)
        case .goAway(let reason, let processed):
            let last = processed ? request.streamID : max(request.streamID - 2, 0)
            await server?.sendGoAway(
                request.connection, lastStreamID: last, debugData: Array(#"{"reason":"\#(reason)"}"#.utf8))
            // A stream above the last one is dropped by the server itself.
            return processed ? .respond(response(answer, environment, id: id)) : .silence
        case .delay(let milliseconds):
            try? await Task.sleep(for: .milliseconds(milliseconds))
        case .streamLimit(let limit):
            await server?.setConcurrentStreamsMax(limit, of: request.connection)
        case .answer, nil: break
        }
        return .respond(response(answer, environment, id: id))
    }

    private func response(_ answer: APNsAnswer, _ environment: APNsEnvironment, id: String) -> HTTP2Response {
        var headers = [HTTP2Field("apns-id", id)]
        // Apple sends it to development builds only.
        if environment == .sandbox { headers.append(HTTP2Field("apns-unique-id", UUID().uuidString)) }
        return HTTP2Response(status: answer.status, headers: headers, body: answer.body)
    }
}
