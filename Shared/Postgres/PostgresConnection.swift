import CPostgres
import Reactor

/// One connection in pipeline mode, on a reactor's thread. It opens once and dies once; the pool replaces it.
///
/// Every query is followed by a sync of its own, so an error stays with its query. Answers come back in the order the
/// queries were sent.
actor PostgresConnection {
    /// Statements kept prepared; beyond it a statement is parsed each time. Ours are constants, well below it.
    static let statementsMax = 512
    /// A query that is not answered this long after its deadline takes the connection with it: `statement_timeout`
    /// should have ended it long before, so the server or the network is gone.
    static let overdueMax: Duration = .seconds(1)

    private struct Entry {
        enum Kind { case query, script }
        var kind: Kind
        var sql: String
        /// The statement that this entry prepares, until the server has confirmed it.
        var preparing: String?
        var deadline: ContinuousClock.Instant
        /// Nil when the caller was already told that its deadline passed.
        var continuation: CheckedContinuation<PostgresResult, any Error>?
        var result: PostgresResult?
        var error: PostgresError?
    }

    private nonisolated let reactor: Reactor
    nonisolated var unownedExecutor: UnownedSerialExecutor { reactor.asUnownedSerialExecutor() }

    private var handle: ConnectionHandle?
    private var watched: Int32 = -1
    private var waitsToWrite = false
    private var opening: CheckedContinuation<Void, any Error>?
    private var openTimer: Reactor.TimerID?
    private var isOpen = false

    private var entries: [Entry] = []
    /// `entries` before it are answered; they are removed in bulk.
    private var head = 0
    private var prepared: [String: String] = [:]
    private var statementsMade = 0
    private var deadlineTimer: (id: Reactor.TimerID, due: ContinuousClock.Instant)?

    private let onNotification: (@Sendable (String, String) -> Void)?
    private var onClose: (@Sendable (PostgresError) -> Void)?

    init(reactor: Reactor, onNotification: (@Sendable (String, String) -> Void)? = nil) {
        self.reactor = reactor
        self.onNotification = onNotification
    }

    // MARK: - For the pool

    /// Nothing more can be asked of it once it is false.
    var isUsable: Bool { isOpen }
    /// A query has passed its deadline and is still not answered: what is sent now would wait behind it.
    private(set) var isStuck = false
    /// Queries sent and not answered.
    var inFlight: Int { entries.count - head }

    /// - Parameter onClose: called once, on the reactor's thread, when an opened connection is lost or closed.
    func open(_ configuration: PostgresConfiguration, onClose: @escaping @Sendable (PostgresError) -> Void) async throws
    {
        let addresses = try await HostResolver.addresses(of: configuration.hosts)
        try await withCheckedThrowingContinuation { continuation in
            opening = continuation
            startConnecting(configuration.parameters(addresses: addresses))
        }
        self.onClose = onClose
        // It may have died between the two lines above.
        if !isOpen { onClose(PostgresError(.unavailable, "the connection was lost")) }
    }

    /// - Throws: `.unavailable` when nothing was sent.
    func query(_ sql: String, _ parameters: [PostgresValue], deadline: ContinuousClock.Instant) async throws
        -> PostgresResult
    {
        try await withCheckedThrowingContinuation { continuation in
            send(sql, parameters, deadline: deadline, continuation)
        }
    }

    /// Runs several statements at once, without parameters or results. Only on a connection with nothing in flight.
    func script(_ sql: String, deadline: ContinuousClock.Instant) async throws {
        _ = try await withCheckedThrowingContinuation { continuation in
            guard let raw = usable(continuation) else { return }
            guard inFlight == 0, PQexitPipelineMode(raw) == 1, PQsendQuery(raw, sql) == 1 else {
                return fail(PostgresError(.outcomeUnknown, lastMessage(raw)), resuming: continuation)
            }
            append(Entry(kind: .script, sql: sql, deadline: deadline, continuation: continuation))
            flush()
        }
    }

    func close() { fail(PostgresError(.unavailable, "the connection was closed")) }

    // MARK: - Opening

    private func startConnecting(_ parameters: [(String, String)]) {
        let raw = Self.withCStrings(parameters.map(\.0)) { keywords in
            Self.withCStrings(parameters.map(\.1)) { values in PQconnectStartParams(keywords, values, 1) }
        }
        guard let raw else { return failOpening("out of memory") }
        handle = ConnectionHandle(raw: raw)
        if PQstatus(raw) == CONNECTION_BAD { return failOpening(lastMessage(raw)) }
        // Warnings of the server would otherwise be printed to stderr.
        PQsetNoticeReceiver(raw, { _, _ in }, nil)
        openTimer = reactor.schedule(after: PostgresConfiguration.connectTimeout) {
            self.assumeIsolated { $0.failOpening("no answer to the connection attempt") }
        }
        waitToConnect(for: .writable)
    }

    private func waitToConnect(for interest: Reactor.Readiness) {
        guard let raw = handle?.raw else { return }
        // libpq may open another socket at each step, perhaps under the same number: watch it afresh each time.
        watch(PQsocket(raw), interest) { $0.continueConnecting() }
    }

    private func continueConnecting() {
        guard opening != nil, let raw = handle?.raw else { return }
        unwatch()
        switch PQconnectPoll(raw) {
        case PGRES_POLLING_READING: waitToConnect(for: .readable)
        case PGRES_POLLING_WRITING: waitToConnect(for: .writable)
        case PGRES_POLLING_OK: finishOpening(raw)
        default: failOpening(lastMessage(raw))
        }
    }

    private func finishOpening(_ raw: OpaquePointer) {
        guard PQsetnonblocking(raw, 1) == 0, PQenterPipelineMode(raw) == 1 else { return failOpening(lastMessage(raw)) }
        openTimer.map(reactor.cancel)
        openTimer = nil
        isOpen = true
        watch(PQsocket(raw), .readable) { $0.serve() }
        opening?.resume()
        opening = nil
    }

    private func failOpening(_ message: String) {
        let waiting = opening
        opening = nil
        release()
        waiting?.resume(throwing: PostgresError(.unavailable, message))
    }

    // MARK: - Sending

    private func send(
        _ sql: String, _ parameters: [PostgresValue], deadline: ContinuousClock.Instant,
        _ continuation: CheckedContinuation<PostgresResult, any Error>
    ) {
        guard let raw = usable(continuation) else { return }
        let values = parameters.map(\.encoded)
        if values.contains(where: { $0?.utf8.contains(0) == true }) {
            return continuation.resume(
                throwing: PostgresError(.server("22021"), "a text parameter holds a zero byte", sqlState: "22021"))
        }
        var preparing: String?
        var statement = prepared[sql]
        var sent: Int32 = 1
        if statement == nil, prepared.count < Self.statementsMax {
            statementsMade += 1
            let name = "s\(statementsMade)"
            sent = PQsendPrepare(raw, name, sql, 0, nil)
            statement = name
            preparing = name
            prepared[sql] = name
        }
        if sent == 1 {
            sent = Self.withOptionalCStrings(values) { values in
                let count = Int32(parameters.count)
                if let statement { return PQsendQueryPrepared(raw, statement, count, values, nil, nil, 0) }
                return PQsendQueryParams(raw, sql, count, nil, values, nil, nil, 0)
            }
        }
        // The sync flushes too. A failure here leaves half a query in the buffer: the connection is done for.
        guard sent == 1, PQpipelineSync(raw) == 1 else {
            return fail(PostgresError(.outcomeUnknown, lastMessage(raw)), resuming: continuation)
        }
        append(Entry(kind: .query, sql: sql, preparing: preparing, deadline: deadline, continuation: continuation))
        flush()
    }

    private func usable(_ continuation: CheckedContinuation<PostgresResult, any Error>) -> OpaquePointer? {
        if isOpen, let raw = handle?.raw { return raw }
        continuation.resume(throwing: PostgresError(.unavailable, "the connection was lost"))
        return nil
    }

    private func append(_ entry: Entry) {
        entries.append(entry)
        armDeadline(entry.deadline)
    }

    private func flush() {
        guard let raw = handle?.raw, isOpen else { return }
        switch PQflush(raw) {
        case 0: setWaitsToWrite(false)
        case 1: setWaitsToWrite(true)
        default: fail(PostgresError(.outcomeUnknown, lastMessage(raw)))
        }
    }

    private func setWaitsToWrite(_ waits: Bool) {
        if waits == waitsToWrite { return }
        waitsToWrite = waits
        reactor.setInterest(watched, waits ? [.readable, .writable] : .readable)
    }

    // MARK: - Receiving

    private func serve() {
        guard let raw = handle?.raw, isOpen else { return }
        guard PQconsumeInput(raw) == 1 else {
            // What the server said before it hung up ("terminating connection…") may still answer a query.
            readResults(raw)
            return fail(PostgresError(.outcomeUnknown, lastMessage(raw)))
        }
        readResults(raw)
        readNotifications(raw)
        if PQstatus(raw) == CONNECTION_BAD { return fail(PostgresError(.outcomeUnknown, lastMessage(raw))) }
        flush()
    }

    private func readResults(_ raw: OpaquePointer) {
        var emptyInARow = 0
        while inFlight > 0, emptyInARow < 3, PQisBusy(raw) == 0 {
            guard let pointer = PQgetResult(raw) else {
                if entries[head].kind == .script { finishScript(raw) } else { emptyInARow += 1 }
                continue
            }
            emptyInARow = 0
            take(ResultHandle(raw: pointer))
        }
    }

    private func take(_ result: consuming ResultHandle) {
        switch result.status {
        case PGRES_PIPELINE_SYNC:
            finishHead()
        case PGRES_COMMAND_OK where entries[head].preparing != nil:
            entries[head].preparing = nil
        case PGRES_TUPLES_OK, PGRES_COMMAND_OK, PGRES_EMPTY_QUERY:
            entries[head].result = result.decoded()
        case PGRES_PIPELINE_ABORTED:
            break
        default:
            let error = result.error
            if entries[head].error == nil { entries[head].error = error }
            // Not prepared after all, gone, or of another shape since a migration: prepare it anew next time.
            if entries[head].preparing != nil || ["26000", "0A000"].contains(error.sqlState) {
                prepared[entries[head].sql] = nil
            }
        }
    }

    private func finishScript(_ raw: OpaquePointer) {
        guard PQenterPipelineMode(raw) == 1 else { return fail(PostgresError(.outcomeUnknown, lastMessage(raw))) }
        finishHead()
    }

    private func finishHead() {
        let entry = entries[head]
        entries[head].continuation = nil
        isStuck = false
        head += 1
        if head == entries.count || head >= 256 {
            entries.removeFirst(head)
            head = 0
        }
        if let error = entry.error {
            entry.continuation?.resume(throwing: error)
        } else {
            entry.continuation?.resume(
                returning: entry.result ?? PostgresResult(rows: [], commandTag: "", affectedRows: 0))
        }
    }

    private func readNotifications(_ raw: OpaquePointer) {
        while let note = PQnotifies(raw) {
            onNotification?(String(cString: note.pointee.relname), String(cString: note.pointee.extra))
            PQfreemem(note)
        }
    }

    // MARK: - Deadlines

    private func armDeadline(_ due: ContinuousClock.Instant) {
        if let timer = deadlineTimer {
            if timer.due <= due { return }
            reactor.cancel(timer.id)
        }
        let id = reactor.schedule(after: max(.zero, due - .now)) {
            self.assumeIsolated { $0.checkDeadlines() }
        }
        deadlineTimer = (id, due)
    }

    private func checkDeadlines() {
        deadlineTimer = nil
        let now = ContinuousClock.now
        var next: ContinuousClock.Instant?
        for index in head..<entries.count {
            let deadline = entries[index].deadline
            if deadline <= now, let continuation = entries[index].continuation {
                entries[index].continuation = nil
                continuation.resume(throwing: PostgresError(.deadline, "no answer before the deadline"))
            }
            if deadline <= now { isStuck = true }
            let overdue = deadline + Self.overdueMax
            if overdue <= now {
                return fail(PostgresError(.outcomeUnknown, "the server does not answer"))
            }
            let due = entries[index].continuation == nil ? overdue : deadline
            next = min(next ?? due, due)
        }
        if let next { armDeadline(next) }
    }

    // MARK: - Ending

    private func fail(
        _ error: PostgresError, resuming continuation: CheckedContinuation<PostgresResult, any Error>? = nil
    ) {
        if opening != nil { failOpening(error.message) }
        let waiting = entries[head...]
        entries = []
        head = 0
        let wasOpen = isOpen
        release()
        let unknown = PostgresError(.outcomeUnknown, error.message, sqlState: error.sqlState)
        continuation?.resume(throwing: unknown)
        for entry in waiting { entry.continuation?.resume(throwing: entry.error ?? unknown) }
        let report = onClose
        onClose = nil
        if wasOpen { report?(PostgresError(.unavailable, error.message)) }
    }

    private func release() {
        isOpen = false
        openTimer.map(reactor.cancel)
        openTimer = nil
        if let timer = deadlineTimer { reactor.cancel(timer.id) }
        deadlineTimer = nil
        unwatch()
        handle = nil
    }

    // MARK: - Helpers

    private func watch(
        _ descriptor: Int32, _ interest: Reactor.Readiness,
        _ serve: @escaping @Sendable (isolated PostgresConnection) -> Void
    ) {
        watched = descriptor
        reactor.watch(descriptor, for: interest) { _ in self.assumeIsolated { serve($0) } }
    }

    private func unwatch() {
        if watched >= 0 { reactor.unwatch(watched) }
        watched = -1
    }

    /// libpq's message in one line.
    private func lastMessage(_ raw: OpaquePointer) -> String {
        let text = PQerrorMessage(raw).map { String(cString: $0) } ?? ""
        let lines = text.split(whereSeparator: \.isNewline).map { line in
            String(line.drop { $0 == " " || $0 == "\t" })
        }
        return lines.isEmpty ? "the connection was lost" : lines.joined(separator: "; ")
    }

    private static func withCStrings<R>(
        _ strings: [String], _ body: (UnsafePointer<UnsafePointer<CChar>?>) -> R
    ) -> R {
        withOptionalCStrings(strings.map(Optional.some), body)
    }

    /// A null-terminated array of C strings, nil for nil, valid during `body`.
    private static func withOptionalCStrings<R>(
        _ strings: [String?], _ body: (UnsafePointer<UnsafePointer<CChar>?>) -> R
    ) -> R {
        var bytes: [CChar] = []
        var starts: [Int?] = []
        for string in strings {
            guard let string else {
                starts.append(nil)
                continue
            }
            starts.append(bytes.count)
            for byte in string.utf8 { bytes.append(CChar(bitPattern: byte)) }
            bytes.append(0)
        }
        return bytes.withUnsafeBufferPointer { buffer in
            var pointers = starts.map { start in start.flatMap { offset in buffer.baseAddress.map { $0 + offset } } }
            pointers.append(nil)
            return pointers.withUnsafeBufferPointer { array in
                // Never empty: the terminator is in it.
                body(array.baseAddress.unsafelyUnwrapped)
            }
        }
    }
}
