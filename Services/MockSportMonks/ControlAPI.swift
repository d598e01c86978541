import FoundationEssentials
import HTTPTypes
import Hummingbird
import NIOCore
import Sightscreen

/// The control port, under `/control`: what tests, the demo and the gateway's replay tell the stand-in. It has no
/// authentication and belongs on a loopback address.
///
/// - `GET /control/tapes` → `[{tapeId, title}]`.
/// - `POST /control/tapes/:tapeId/load` `{speed?, lead?, paused?}` → 201 and a position; `lead` in seconds. The match has
///   the tape's id, or one from 9,000,000,000 up when that was used before.
/// - `GET /control/matches`, `GET /control/matches/:id` → positions: `{matchId, tapeId, title, cursor, frames, label,
///   playing, speed, isLast}`.
/// - `POST /control/matches/:id/{play,pause,step,stop}`; `seek` `{label}` ("S1 19.4", "Innings Break") or `{cursor}`;
///   `speed` `{speed}`. Each answers the position. `stop` takes the match out of the provider.
/// - `POST /control/faults` `{kind, count?, endpoint?, delayMs?, retryAfter?}` → 201; `GET`; `DELETE` → 204. See
///   `ProviderFault` for the kinds.
struct ControlAPI: Sendable {
    static let bodyBytesMax = 64 << 10

    let deck: MatchDeck

    func add(to router: Router<BasicRequestContext>) {
        let control = router.group("control")
        control.get("tapes") { _, _ in try JSONAnswer.response(await deck.tapes()) }
        control.post("tapes/:tape/load") { request, context in
            try await load(try context.parameters.require("tape"), request)
        }
        control.get("matches") { _, _ in try JSONAnswer.response(await deck.positions()) }
        control.get("matches/:id") { _, context in
            try await answering { try await deck.position(try id(context)) }
        }
        control.post("matches/:id/:action") { request, context in
            try await act(try context.parameters.require("action"), try id(context), request)
        }
        control.get("faults") { _, _ in try JSONAnswer.response(await deck.waitingFaults()) }
        control.post("faults") { request, _ in try await addFault(request) }
        control.delete("faults") { _, _ in
            await deck.removeFaults()
            return Response(status: .noContent)
        }
    }

    private func load(_ tape: String, _ request: Request) async throws -> Response {
        struct Body: Decodable {
            var speed: Double?
            var lead: Double?
            var paused: Bool?
        }
        let body = try await read(Body.self, request) ?? Body()
        let lead = body.lead ?? 0
        guard (0...7 * 86_400).contains(lead) else { throw Problem(.badRequest, "lead is 0 to 604800 seconds") }
        let speed = try checked(body.speed ?? 1)
        return try await answering(status: .created) {
            try await deck.load(tape, speed: speed, lead: lead, paused: body.paused ?? false)
        }
    }

    private func act(_ action: String, _ id: MatchID, _ request: Request) async throws -> Response {
        struct Body: Decodable {
            var label: String?
            var cursor: Int?
            var speed: Double?
        }
        let body = try await read(Body.self, request) ?? Body()
        return try await answering {
            switch action {
            case "play": return try await deck.play(id)
            case "pause": return try await deck.pause(id)
            case "step": return try await deck.step(id)
            case "stop": return try await deck.stop(id)
            case "seek":
                if let label = body.label { return try await deck.seek(id, to: label) }
                guard let cursor = body.cursor else { throw Problem(.badRequest, "seek wants a label or a cursor") }
                return try await deck.seek(id, cursor: cursor)
            case "speed":
                guard let speed = body.speed else { throw Problem(.badRequest, "speed is missing") }
                return try await deck.setSpeed(id, try checked(speed))
            default: throw Problem(.notFound, "a match can play, pause, step, stop, seek, or change its speed")
            }
        }
    }

    private func addFault(_ request: Request) async throws -> Response {
        struct Body: Decodable {
            var kind: String
            var count: Int?
            var endpoint: ProviderEndpoint?
            var delayMs: Int?
            var retryAfter: Int?

            private enum CodingKeys: String, CodingKey { case kind, count, endpoint, delayMs, retryAfter }

            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: CodingKeys.self)
                // A status may be written as a number.
                if let status = try? container.decode(Int.self, forKey: .kind) {
                    kind = String(status)
                } else {
                    kind = try container.decode(String.self, forKey: .kind)
                }
                count = try container.decodeIfPresent(Int.self, forKey: .count)
                endpoint = try container.decodeIfPresent(ProviderEndpoint.self, forKey: .endpoint)
                delayMs = try container.decodeIfPresent(Int.self, forKey: .delayMs)
                retryAfter = try container.decodeIfPresent(Int.self, forKey: .retryAfter)
            }
        }
        guard let body = try await read(Body.self, request) else { throw Problem(.badRequest, "kind is missing") }
        guard let kind = ProviderFault.Kind(rawValue: body.kind) else {
            throw Problem(.badRequest, "there is no fault of kind \"\(body.kind.prefix(20))\"")
        }
        guard (1...1_000_000).contains(body.count ?? 1), (0...600_000).contains(body.delayMs ?? 0) else {
            throw Problem(.badRequest, "count is 1 to 1000000 and delayMs 0 to 600000")
        }
        let fault = ProviderFault(
            kind: kind, count: body.count ?? 1, endpoint: body.endpoint, delayMs: body.delayMs,
            retryAfter: body.retryAfter)
        return try await answering(status: .created) {
            try await deck.add(fault)
            return fault
        }
    }

    private func id(_ context: BasicRequestContext) throws -> MatchID {
        guard let id = MatchID(try context.parameters.require("id")) else { throw Problem(.notFound, "no match id") }
        return id
    }

    private func checked(_ speed: Double) throws -> Double {
        guard MatchPlayer.speeds.contains(speed) else {
            throw Problem(
                .badRequest, "speed is \(MatchPlayer.speeds.lowerBound) to \(MatchPlayer.speeds.upperBound)")
        }
        return speed
    }

    /// - Returns: nil when there is no body.
    private func read<Body: Decodable>(_ type: Body.Type, _ request: Request) async throws -> Body? {
        let buffer: ByteBuffer
        do { buffer = try await request.body.collect(upTo: Self.bodyBytesMax) } catch {
            throw Problem(.contentTooLarge, "a body has at most \(Self.bodyBytesMax) bytes")
        }
        guard buffer.readableBytes > 0 else { return nil }
        do {
            return try JSONDecoder().decode(Body.self, from: Data(buffer.readableBytesView))
        } catch {
            throw Problem(.badRequest, "the body is not the JSON that this call takes")
        }
    }

    private func answering(
        status: HTTPResponse.Status = .ok, _ body: () async throws -> some Encodable
    ) async throws -> Response {
        do {
            return try JSONAnswer.response(try await body(), status: status)
        } catch let failure as MatchDeck.Failure {
            switch failure {
            case .noTape(let id): throw Problem(.notFound, "there is no tape \(id.prefix(20))")
            case .notAMatch(let why): throw Problem(.unprocessableContent, why)
            case .noMatch: throw Problem(.notFound, "that match is not loaded")
            case .noFrame(let label):
                throw Problem(.unprocessableContent, "the tape has no frame \"\(label.prefix(60))\"")
            case .full: throw Problem(.conflict, "no more of these are taken")
            }
        }
    }
}
