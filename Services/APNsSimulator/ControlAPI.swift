import ControlHTTP
import HTTPTypes
import Hummingbird
import NIOCore

/// The control port, by which tests and phones steer the simulator and query it. `PageGuard` keeps web pages away.
///
/// - `POST /tokens` `{token, kind: start|update|device, environment: production|sandbox, timestamp?, match?,
///   frequentPushes?, bundle?}`, an array of them or one a line, any number → 201. `timestamp` is the stamp that the
///   token's activity shows already, `match` the group in `GET /counts`, `frequentPushes` (default true) the user's
///   switch, which decides on the phone's budget, `bundle` the app that the token is of, if it is not the simulator's
///   own. When one of more than 10,000 is wrong, those before it may be registered already.
/// - `DELETE /tokens/:token` → 204; pushes to the token get 410 from now on (`?at=` milliseconds since 1970: since
///   then).
/// - `GET /tokens` → an array.
/// - `POST /faults` `{match?: {call?, channel?, tokenPrefix?, environment?, event?, pushType?, after?, count?,
///   afterMs?, forMs?, share?}, …}` with one of `status` and `reason`, `goaway`, `rst`, `mute`, `close`, `delayMs`,
///   `streamLimit`, `lostShare` → 201 `{id}`; `GET`, `DELETE`.
/// - `GET /deliveries?since=SEQ&token=…&follow=1` → NDJSON, all lines after `SEQ`; without `since` all that are kept.
///   410 when the lines after `SEQ` are dropped already or `SEQ` is of another run. With `follow` the answer goes on
///   with new lines as they come. `limit` bounds the lines; `token` may be repeated.
/// - `GET /counts` → pushes by status, reason, event, priority and device outcome; alerts, and the devices that had one
///   twice; for each match the number of devices by the stamp they show.
struct ControlAPI: Sendable {
    /// The limit for a fault's body; bodies of tokens are streamed and have none.
    static let bodyBytesMax = 1 << 20
    /// Tokens that are registered in one step; pushes wait that long.
    static let tokensAtOnce = 10_000
    /// Lines that are written in one step.
    static let pageLinesMax = 500

    let simulator: Simulator

    func router() -> Router<BasicRequestContext> {
        let router = Router()
        router.add(middleware: PageGuardMiddleware())
        router.post("tokens") { request, _ in try await registerTokens(request) }
        router.get("tokens") { _, _ in try JSONAnswer.response(await simulator.registeredTokens) }
        router.delete("tokens/:token") { request, context in
            try await deleteToken(try context.parameters.require("token"), request)
        }
        router.post("faults") { request, _ in try await addFault(request) }
        router.get("faults") { _, _ in try JSONAnswer.response(await simulator.pendingFaults) }
        router.delete("faults") { _, _ in
            await simulator.removeFaults()
            return Response(status: .noContent)
        }
        router.get("counts") { _, _ in try JSONAnswer.response(await simulator.counts) }
        router.get("deliveries") { request, _ in try await deliveries(request) }
        addChannelRoutes(to: router)
        return router
    }

    // MARK: - Tokens

    private func registerTokens(_ request: Request) async throws -> Response {
        var reader = TokenReader()
        for try await part in request.body {
            // Parts may be large; each is read in pieces, so that the batches stay small.
            var rest = part
            while let piece = rest.readSlice(length: min(rest.readableBytes, 64 * 1_024)), piece.readableBytes > 0 {
                try piece.withUnsafeReadableBytes { try reader.read($0) }
                if reader.batch.entries.count >= Self.tokensAtOnce { try await register(&reader) }
            }
        }
        try reader.end()
        try await register(&reader)
        return Response(status: .created)
    }

    private func register(_ reader: inout TokenReader) async throws {
        guard await simulator.register(reader.batch) else {
            throw Problem(.conflict, "\(Simulator.tokensMax) tokens are known already")
        }
        reader.removeBatch()
    }

    private func deleteToken(_ token: String, _ request: Request) async throws -> Response {
        var atMs = WallClock.nowMs
        if let text = request.uri.queryParameters["at"] {
            guard let value = Int64(text) else { throw Problem(.badRequest, "at is in milliseconds since 1970") }
            atMs = value
        }
        guard await simulator.deleteToken(token, atMs: atMs) else {
            throw Problem(.notFound, "that token was never registered")
        }
        return Response(status: .noContent)
    }

    // MARK: - Faults

    private func addFault(_ request: Request) async throws -> Response {
        let fault = try JSONBody.decode(Fault.self, from: try await body(of: request))
        guard let id = await simulator.addFault(fault) else {
            throw Problem(.conflict, "\(FaultList.entriesMax) faults are waiting already")
        }
        return try JSONAnswer.response(["id": id], status: .created)
    }

    // MARK: - Deliveries

    private func deliveries(_ request: Request) async throws -> Response {
        let query = request.uri.queryParameters
        let tokens = Set(query.getAll("token").map { $0.lowercased() })
        let follows = query["follow"] == "1" || query["follow"] == "true"
        let limit = try integer(query["limit"], "limit", atLeast: 1) ?? .max
        let oldest = await simulator.oldestDelivery
        let since = try integer(query["since"], "since", atLeast: 0) ?? oldest - 1
        // The log is asked once before the head of the answer leaves, so that a wrong position is an error and not an
        // early end.
        if case .gone(let oldest, let newest) = try await simulator.deliveries(after: since, of: tokens, linesMax: 0) {
            throw Problem(
                .gone, "the lines after \(since) are not in the log, which has \(oldest) to \(newest)", oldest: oldest,
                newest: newest)
        }
        let simulator = simulator
        return Response(
            status: .ok, headers: [.contentType: "application/x-ndjson", .cacheControl: "no-store"],
            body: ResponseBody { writer in
                let changes = follows ? await simulator.follow() : nil
                var next = try await Self.write(simulator, to: &writer, after: since, tokens, linesMax: limit)
                if let changes, next.left > 0 {
                    for await _ in changes {
                        next = try await Self.write(
                            simulator, to: &writer, after: next.seq, tokens, linesMax: next.left)
                        if next.left == 0 { break }
                    }
                }
                try await writer.finish(nil)
            })
    }

    /// Writes the lines that are there. A reader who falls behind the log's end is cut off, and gets 410 on the next
    /// request.
    @concurrent
    private static func write(
        _ simulator: Simulator, to writer: inout any ResponseBodyWriter, after since: Int, _ tokens: Set<String>,
        linesMax: Int
    ) async throws -> (seq: Int, left: Int) {
        var seq = since
        var left = linesMax
        while left > 0 {
            let page = try await simulator.deliveries(after: seq, of: tokens, linesMax: min(left, pageLinesMax))
            guard case .lines(let bytes, let next) = page else { return (seq, 0) }
            if !bytes.isEmpty {
                left -= bytes.count { $0 == UInt8(ascii: "\n") }
                try await writer.write(ByteBuffer(bytes: bytes))
            }
            if next == seq { break }
            seq = next
        }
        return (seq, left)
    }

    // MARK: - Reading

    private func integer(_ text: Substring?, _ name: String, atLeast least: Int) throws -> Int? {
        guard let text else { return nil }
        guard let value = Int(text), value >= least else { throw Problem(.badRequest, "\(name) is \(least) or more") }
        return value
    }

    func body(of request: Request) async throws -> [UInt8] {
        try await JSONBody.bytes(of: request, upTo: Self.bodyBytesMax)
    }
}
