import CPostgres
import Reactor

/// One connection in pipeline mode, on a reactor's thread. It opens once and ends once; the pool replaces it.
///
/// Statements that are sent together, one or several, are followed by a sync of their own, so an error affects only
/// them. Answers come back in the order in which the statements were sent.
actor PostgresConnection {
    /// The most statements that are kept prepared; beyond it a statement is parsed each time. Ours are constants, well
    /// below this number.
    static let statementsMax = 512
    /// When a query is unanswered this long after its deadline, the connection is closed: `statement_timeout` should
    /// have ended the query long before, so the server or the network is gone.
    static let overdueMax: Duration = .seconds(1)

    private struct Entry {
        /// The commands that the server answers, one after the other.
        enum Step {
            case prepare(sql: String)
            case run(sql: String)
        }
        enum Kind { case statements, script }
        var kind: Kind
        var steps: [Step] = []
        var stepsDone = 0
        var deadline: ContinuousClock.Instant
        /// The waiting caller; nil after it was told that its deadline passed.
        var continuation: CheckedContinuation<[PostgresResult], any Error>?
        var results: [PostgresResult] = []
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
    /// The index of the first unanswered entry; entries before it are removed in bulk.
    private var head = 0
    private var prepared: [String: String] = [:]
    private var statementsMade = 0
    /// The beginning of the names of prepared statements. No other connection has it: a pooler that hands sessions around
    /// must not find the statement of another connection under a name.
    private let statementPrefix = "s\(String(UInt64.random(in: .min ... .max), radix: 36))_"
    /// The server's error after which the connection is replaced (`SQLStateRule.Connection.replaced`).
    private var ending: PostgresError?
    private var deadlineTimer: (id: Reactor.TimerID, due: ContinuousClock.Instant)?

    private let onNotification: (@Sendable (String, String) -> Void)?
    private var onClose: (@Sendable (PostgresError) -> Void)?

    private nonisolated let metrics: PoolMetrics?

    init(
        reactor: Reactor, metrics: PoolMetrics? = nil, onNotification: (@Sendable (String, String) -> Void)? = nil
    ) {
        self.reactor = reactor
        self.metrics = metrics
        self.onNotification = onNotification
    }

    // MARK: - For the pool

    /// Whether new statements may be sent; once false, it stays false.
    var isUsable: Bool { isOpen && ending == nil }
    /// Whether a query has passed its deadline without an answer, so that further statements would wait behind it.
    private(set) var isStuck = false
    /// The number of queries that were sent and not answered.
    var inFlight: Int { entries.count - head }

    /// Opens the connection to the first host, and the first of its addresses, that accepts it.
    /// - Parameter onClose: called once, on the reactor's thread, when the opened connection is lost or closed.
    /// - Throws: `PostgresError` of all addresses together.
    func open(_ configuration: PostgresConfiguration, onClose: @escaping @Sendable (PostgresError) -> Void) async throws
    {
        var refusals: [PostgresError] = []
        for host in configuration.hosts {
            do {
                for address in try await HostResolver.addresses(of: host) {
                    do {
                        try await connect(configuration.parameters(of: host, address: address))
                        try await begin(needsWriting: configuration.needsWriting)
                        if let raw = handle?.raw { CertificateDates.record(raw) }
                        self.onClose = onClose
                        // The connection may have been lost between the two lines above.
                        if !isOpen { onClose(PostgresError(.unavailable, "the connection was lost")) }
                        return
                    } catch let error as PostgresError { refusals.append(error) }
                }
            } catch let error as PostgresError { refusals.append(error) }
        }
        let states = refusals.compactMap(\.sqlState)
        throw PostgresError(
            .unavailable, refusals.map(\.message).joined(separator: "; "),
            sqlState: states.first { SQLStateRule.of($0).notReady != nil } ?? states.first)
    }

    /// Runs one statement.
    /// - Throws: `.unavailable` if nothing was sent.
    func query(_ sql: String, _ parameters: [PostgresValue], deadline: ContinuousClock.Instant) async throws
        -> PostgresResult
    {
        let results = try await query([PostgresStatement(sql, parameters)], deadline: deadline)
        return results.first ?? PostgresResult(rows: [], commandTag: "", affectedRows: 0)
    }

    /// Sends several statements at once. It returns one answer for each, or throws the error of the first that failed,
    /// after which none is run.
    /// - Parameter ahead: whether the last statement takes a while, so that the answers to those before it are
    ///   requested, and read, in that time.
    /// - Throws: `.unavailable` if nothing was sent.
    func query(
        _ statements: [PostgresStatement], deadline: ContinuousClock.Instant, ahead: Bool = false
    ) async throws -> [PostgresResult] {
        let begun = ContinuousClock.now
        do {
            let results = try await answers(to: statements, deadline: deadline, ahead: ahead)
            metrics?.answered(since: begun)
            return results
        } catch {
            metrics?.answered(since: begun)
            metrics?.failed(error)
            throw error
        }
    }

    /// Runs several statements at once, without parameters or results. The connection must have nothing in flight.
    func script(_ sql: String, deadline: ContinuousClock.Instant) async throws {
        _ = try await withCheckedThrowingContinuation { continuation in
            guard let raw = usable(continuation) else { return }
            guard inFlight == 0, PQexitPipelineMode(raw) == 1, PQsendQuery(raw, sql) == 1 else {
                return fail(PostgresError(.outcomeUnknown, lastMessage(raw)), resuming: continuation)
            }
            append(Entry(kind: .script, deadline: deadline, continuation: continuation))
            flush()
        }
    }

    func close() { fail(PostgresError(.unavailable, "the connection was closed")) }

    // MARK: - Opening

    private func connect(_ parameters: [(String, String)]) async throws {
        // Of an address that was tried before.
        (prepared, ending) = ([:], nil)
        try await withCheckedThrowingContinuation { continuation in
            opening = continuation
            startConnecting(parameters)
        }
    }

    /// Begins the session with its settings, and closes it if it cannot write.
    private func begin(needsWriting: Bool) async throws {
        let begin = PostgresStatement(PostgresConfiguration.sessionBegin)
        do {
            let answer = try await answers(to: [begin], deadline: .now + PostgresConfiguration.connectTimeout)
            guard let row = answer.first?.rows.first else { throw PostgresError(.decoding, "a session without a row") }
            guard needsWriting, try row.bool("read_only") else { return }
            // A pooler in between, which shows by a number of its own for the session, would hand this session out again:
            // it keeps the default of the time when it began. So it is ended at the server.
            if let raw = handle?.raw, try row.int("pid") != Int(PQbackendPID(raw)) {
                let end = PostgresStatement("SELECT pg_terminate_backend(pg_backend_pid())")
                _ = try? await answers(to: [end], deadline: .now + .seconds(1))
            }
            let isStandby = try row.bool("in_recovery")
            throw PostgresError(
                .unavailable,
                isStandby
                    ? "the server is a standby, which cannot write"
                    : "the session cannot write (default_transaction_read_only is on)", sqlState: "25006")
        } catch {
            close()
            throw error
        }
    }

    private func startConnecting(_ parameters: [(String, String)]) {
        let raw = Self.withCStrings(parameters.map(\.0)) { keywords in
            Self.withCStrings(parameters.map(\.1)) { values in PQconnectStartParams(keywords, values, 1) }
        }
        guard let raw else { return failOpening("out of memory") }
        handle = ConnectionHandle(raw: raw)
        if PQstatus(raw) == CONNECTION_BAD { return failOpening(lastMessage(raw)) }
        // Without this receiver libpq would print the server's warnings to stderr.
        PQsetNoticeReceiver(raw, { _, _ in }, nil)
        // Only the verbose message of a connection that is not made has the SQLSTATE.
        PQsetErrorVerbosity(raw, PQERRORS_VERBOSE)
        openTimer = reactor.schedule(after: PostgresConfiguration.connectTimeout) {
            self.assumeIsolated { $0.failOpening("no answer to the connection attempt") }
        }
        waitToConnect(for: .writable)
    }

    private func waitToConnect(for interest: Reactor.Readiness) {
        guard let raw = handle?.raw else { return }
        // libpq may open another socket at each step, perhaps under the same number, so it is watched anew each time.
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
        PQsetErrorVerbosity(raw, PQERRORS_DEFAULT)
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
        waiting?.resume(throwing: PostgresError(connecting: message))
    }

    // MARK: - Sending

    private func answers(
        to statements: [PostgresStatement], deadline: ContinuousClock.Instant, ahead: Bool = false
    ) async throws -> [PostgresResult] {
        try await withCheckedThrowingContinuation { continuation in
            send(statements, deadline: deadline, ahead: ahead, continuation)
        }
    }

    private func send(
        _ statements: [PostgresStatement], deadline: ContinuousClock.Instant, ahead: Bool,
        _ continuation: CheckedContinuation<[PostgresResult], any Error>
    ) {
        guard let raw = usable(continuation) else { return }
        let values = statements.map { ParameterText($0.parameters) }
        if values.contains(where: \.holdsZeroByte) {
            return continuation.resume(
                throwing: PostgresError(.server("22021"), "a text parameter holds a zero byte", sqlState: "22021"))
        }
        var steps: [Entry.Step] = []
        steps.reserveCapacity(statements.count)
        var isSent = true
        for (place, (statement, values)) in zip(statements, values).enumerated() where isSent {
            if ahead, place == statements.count - 1 { isSent = PQsendFlushRequest(raw) == 1 }
            isSent = isSent && send(statement.sql, values, raw, &steps)
        }
        // The sync flushes, too. A failure here leaves half a query in the buffer, so the connection cannot be used any
        // more.
        guard isSent, PQpipelineSync(raw) == 1 else {
            return fail(PostgresError(.outcomeUnknown, lastMessage(raw)), resuming: continuation)
        }
        append(Entry(kind: .statements, steps: steps, deadline: deadline, continuation: continuation))
        flush()
    }

    /// Puts one statement into libpq's buffer.
    /// - Returns: false if libpq refuses.
    private func send(
        _ sql: String, _ values: ParameterText, _ raw: OpaquePointer, _ steps: inout [Entry.Step]
    ) -> Bool {
        var statement = prepared[sql]
        if statement == nil, prepared.count < Self.statementsMax {
            statementsMade += 1
            let name = "\(statementPrefix)\(statementsMade)"
            guard PQsendPrepare(raw, name, sql, 0, nil) == 1 else { return false }
            statement = name
            prepared[sql] = name
            steps.append(.prepare(sql: sql))
        }
        steps.append(.run(sql: sql))
        return values.withPointers { count, pointers, lengths, formats in
            if let statement { return PQsendQueryPrepared(raw, statement, count, pointers, lengths, formats, 0) == 1 }
            return PQsendQueryParams(raw, sql, count, nil, pointers, lengths, formats, 0) == 1
        }
    }

    private func usable(_ continuation: CheckedContinuation<[PostgresResult], any Error>) -> OpaquePointer? {
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
            // The server's last message before it closed ("terminating connection…") may still answer a query.
            readResults(raw)
            return fail(PostgresError(.outcomeUnknown, lastMessage(raw)))
        }
        readResults(raw)
        readNotifications(raw)
        if let ending, inFlight == 0 { return fail(ending) }
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
        if result.status == PGRES_PIPELINE_SYNC { return finishHead() }
        let place = entries[head].stepsDone
        let step = place < entries[head].steps.count ? entries[head].steps[place] : nil
        entries[head].stepsDone += 1
        switch (result.status, step) {
        case (PGRES_COMMAND_OK, .prepare): break
        case (PGRES_TUPLES_OK, _), (PGRES_COMMAND_OK, _), (PGRES_EMPTY_QUERY, _):
            entries[head].results.append(result.decoded())
        case (PGRES_PIPELINE_ABORTED, let step): forget(step, nil)
        default:
            let error = result.error
            if entries[head].error == nil { entries[head].error = error }
            if error.rule?.connection == .replaced, ending == nil { ending = error }
            forget(step, error)
        }
    }

    /// Forgets a prepared statement that was not prepared after all, or has another result type since a migration; it is
    /// prepared anew next time.
    private func forget(_ step: Entry.Step?, _ error: PostgresError?) {
        switch step {
        case .prepare(let sql): prepared[sql] = nil
        case .run(let sql):
            if error?.sqlState == "0A000" { prepared[sql] = nil }
        case nil: break
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
            entry.continuation?.resume(returning: entry.results)
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
        _ error: PostgresError, resuming continuation: CheckedContinuation<[PostgresResult], any Error>? = nil
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
        if wasOpen { report?(PostgresError(.unavailable, error.message, sqlState: error.sqlState)) }
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

    /// Returns libpq's message in one line.
    private func lastMessage(_ raw: OpaquePointer) -> String {
        let text = PQerrorMessage(raw).map { String(cString: $0) } ?? ""
        let lines = text.split(whereSeparator: \.isNewline).map { line in
            String(line.drop { $0 == " " || $0 == "\t" })
        }.filter { !$0.hasPrefix("LOCATION:") }
        return lines.isEmpty ? "the connection was lost" : lines.joined(separator: "; ")
    }

    static func withCStrings<R>(
        _ strings: [String], _ body: (UnsafePointer<UnsafePointer<CChar>?>) -> R
    ) -> R {
        ParameterText(strings.map { .text($0) }).withPointers { _, pointers, _, _ in body(pointers) }
    }
}
