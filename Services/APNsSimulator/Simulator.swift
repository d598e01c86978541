import HTTP2
import Reactor
import SightscreenModels
import Tokens

/// APNs as its clients see it: knows tokens, checks requests, keeps a log of them, and applies faults on demand.
///
/// It lives on the thread that serves its HTTP/2 ports, so that a request is checked without leaving it.
actor Simulator {
    /// The most tokens known at a time, deleted ones included.
    static let tokensMax = 4_000_000

    private struct ConnectionKey: Hashable {
        var port: APNsPort
        var id: HTTP2ConnectionID
    }

    private nonisolated let reactor: Reactor
    nonisolated var unownedExecutor: UnownedSerialExecutor { reactor.asUnownedSerialExecutor() }

    let configuration: APNsSimulatorConfiguration
    let providerToken: ProviderTokenCheck
    private let production: PushCheck
    private let sandbox: PushCheck
    let tokens = TokenRegistry()
    private var connections: [ConnectionKey: SimulatorConnection] = [:]
    var faults = FaultList()
    var log: DeliveryLog
    var alerts = AlertTally()
    var tally = Tally()
    var ids = PushIDSource()
    var channels: ChannelRegistry
    var capability = Capability()
    var subscribers = SubscriberNames()
    var broadcasts = BroadcastTally()
    private(set) var followers: [Int: AsyncStream<Void>.Continuation] = [:]
    private var nextFollower = 0
    private var isStopping = false
    /// Header blocks and payloads of recent requests.
    private var blocks = Recent<HeaderBlock>()
    private var payloads = Recent<KnownPayload>()
    private var answers: [SimulatorAnswer: KnownAnswer] = [:]
    private var answerNumbers: [SimulatorAnswer: Int] = [:]
    private(set) lazy var accepted = known(.accepted)

    init(_ configuration: APNsSimulatorConfiguration, reactor: Reactor) throws {
        self.configuration = configuration
        self.reactor = reactor
        log = DeliveryLog(linesMax: configuration.deliveriesMax)
        channels = try ChannelRegistry(
            channelsMax: configuration.channelsMax,
            file: try configuration.stateDirectory.map { try ChannelFile(folder: $0) })
        let verifier = try ES256Verifier(pem: configuration.publicKeyPEM)
        let providerToken = ProviderTokenCheck(keyID: configuration.keyID, teamID: configuration.teamID) {
            verifier.isValid(signature: $0, of: $1)
        }
        self.providerToken = providerToken
        func check(_ environment: APNsEnvironment) -> PushCheck {
            PushCheck(bundleID: configuration.bundleID, environment: environment, providerToken: providerToken)
        }
        production = check(.production)
        sandbox = check(.sandbox)
    }

    // MARK: - Known checks, headers, payloads and answers

    func check(_ environment: APNsEnvironment) -> PushCheck {
        environment == .production ? production : sandbox
    }

    func connection(_ id: HTTP2ConnectionID, _ port: APNsPort) -> SimulatorConnection {
        let key = ConnectionKey(port: port, id: id)
        if let known = connections[key] { return known }
        let connection = SimulatorConnection()
        connections[key] = connection
        return connection
    }

    func forget(_ id: HTTP2ConnectionID, _ port: APNsPort) {
        connections[ConnectionKey(port: port, id: id)] = nil
    }

    /// - Parameter push: the request, used if the block has to be read anew.
    func block(
        of arrival: HTTP2Arrival, on connection: SimulatorConnection, _ check: PushCheck,
        _ push: () -> IncomingRequest
    ) -> HeaderBlock {
        if let last = connection.block, last.matches(arrival) { return last }
        let block = blocks.first { $0.matches(arrival) } ?? blocks.add(HeaderBlock(arrival, push(), check))
        connection.block = block
        return block
    }

    func payload(_ body: UnsafeRawBufferPointer, on connection: SimulatorConnection) -> KnownPayload {
        if let last = connection.payload, last.matches(body) { return last }
        let payload = payloads.first { $0.matches(body) } ?? payloads.add(KnownPayload(Array(body), &alerts))
        connection.payload = payload
        return payload
    }

    func known(_ answer: SimulatorAnswer) -> KnownAnswer {
        if let known = answers[answer] { return known }
        // The answer's number ignores the timestamp: times differ without end, statuses and reasons do not.
        var kind = answer
        kind.timestampMs = nil
        let number = answerNumbers[kind] ?? answerNumbers.count
        answerNumbers[kind] = number
        if answers.count >= 1_024 { answers.removeAll() }
        let known = KnownAnswer(answer, number: number)
        answers[answer] = known
        return known
    }

    /// The index of a registered token; nil when it is not registered.
    func device(_ token: UnsafeRawBufferPointer) -> Int? {
        withUnsafeTemporaryAllocation(byteCount: TokenKey.bytesMax, alignment: 8) { key in
            guard TokenKey.pack(token, into: key) else { return nil }
            return tokens.index(of: UnsafeRawBufferPointer(rebasing: key[..<((token.count + 1) / 2)]), token.count)
        }
    }

    // MARK: - Tokens

    /// Registers tokens, also deleted ones again. Returns false when there are too many; those before the limit are
    /// registered then.
    func register(_ batch: TokenBatch) -> Bool {
        var isRoom = true
        batch.forEach { key, digits, entry in
            guard isRoom else { return }
            isRoom = tokens.count < Self.tokensMax || tokens.index(of: key, digits) != nil
            if isRoom { tokens.register(key, digits, entry) }
        }
        return isRoom
    }

    /// Deletes a token, so that pushes to it get 410. Returns false when it is not known.
    func deleteToken(_ token: String, atMs: Int64) -> Bool {
        guard let index = Array(token.utf8).withUnsafeBytes({ device($0) }) else { return false }
        tokens.device(index).pointee.deletedAtMs = atMs
        return true
    }

    var registeredTokens: [RegisteredToken] {
        (0..<tokens.count).map { index in
            let device = tokens.device(index).pointee
            return RegisteredToken(
                token: tokens.text(index), kind: device.kind, environment: device.environment,
                deletedAtMs: device.deletedAtMs, bundle: tokens.bundle(index))
        }.sorted { $0.token < $1.token }
    }

    // MARK: - Faults

    func addFault(_ fault: Fault) -> Int? { faults.add(fault, nowMs: WallClock.nowMs) }
    func removeFaults() { faults.removeAll() }
    var pendingFaults: [FaultList.Entry] {
        faults.removeExpired(WallClock.nowMs)
        return faults.entries
    }

    // MARK: - Deliveries

    enum Page: Sendable {
        /// The lines after the given number, and the number to continue with.
        case lines([UInt8], next: Int)
        /// The given number is not in the log: it was dropped, or is of another run.
        case gone(oldest: Int, newest: Int)
    }

    var newestDelivery: Int { log.newest }
    var oldestDelivery: Int { log.oldest }

    /// - Parameter tokens: the tokens whose deliveries are wanted; empty for all.
    func deliveries(after since: Int, of tokens: Set<String>, linesMax: Int) throws -> Page {
        guard log.canContinue(after: since) else { return .gone(oldest: log.oldest, newest: log.newest) }
        var bytes: [UInt8] = []
        var count = 0
        var seq = since
        while count < linesMax, let entry = log[seq + 1] {
            seq += 1
            let delivery = Delivery(entry, seq: seq, self.tokens, subscribers)
            guard tokens.isEmpty || tokens.contains(delivery.token) else { continue }
            bytes += try delivery.line()
            count += 1
        }
        return .lines(bytes, next: seq)
    }

    /// Yields after deliveries were added, once for several. The stream ends when the simulator stops.
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

    /// Ends the streams of all followers.
    func stopFollowers() {
        isStopping = true
        for follower in followers.values { follower.finish() }
    }

    private func removeFollower(_ id: Int) { followers[id] = nil }
}
