import ControlHTTP
import HTTPTypes
import Hummingbird
import SightscreenModels
import Tapes

/// The control port, under `/control`, by which tests, the demo and the gateway's replay steer the stand-in. It has no
/// authentication and belongs on a loopback address; `PageGuard` keeps web pages away.
///
/// - `GET /control/tapes` → `[{tapeId, title}]`: converted matches by id, recorded tapes by name.
/// - `POST /control/tapes/:tapeId/load` `{speed?, lead?, paused?, variant?, seed?, ballsPerFrame?, fixture?, faults?}`
///   → 201 and a position. `lead` in seconds to the start of play; `variant` is a `TapeVariant`, by `seed`;
///   `ballsPerFrame` shows every n-th ball only; `fixture` picks a match of a recorded tape that has several; `faults`
///   is a list as below. The match has the tape's id, or one from 9,000,000,000 up when that was used before.
/// - `GET /control/matches`, `GET /control/matches/:id` → positions: `{matchId, tapeId, title, variant, seed, cursor,
///   frames, label, playing, speed, isLast, shownAt}`, the last being when the newest frame came, in milliseconds since
///   1970. `GET /control/matches/:id/labels` → the labels of all its frames.
/// - `POST /control/matches/:id/play`: plays on from the position; `pause`: holds it; `step`: shows the next frame at
///   once; `stop`: removes the match from the provider. Each answers the position, as do the next two.
/// - `POST /control/matches/:id/seek` `{label}` ("S1 19.4", "Innings Break") or `{cursor}` (frames shown, from 1);
///   `POST /control/matches/:id/speed` `{speed}`, seconds of the match per second.
/// - `POST /control/faults` one fault or a list, `{kind, count?, endpoint?, delayMs?, retryAfter?, atMs?, afterCalls?}`
///   → 201; `GET` lists those that wait; `DELETE` → 204 removes them. `ProviderFault` has the kinds and the schedule.
struct ControlAPI: Sendable {
    static let bodyBytesMax = 64 << 10

    let registry: MatchRegistry

    func add(to router: Router<BasicRequestContext>) {
        let control = router.group("control").add(middleware: PageGuardMiddleware())
        control.get("tapes") { _, _ in try JSONAnswer.response(await registry.tapes()) }
        control.post("tapes/:tape/load") { request, context in
            try await load(try context.parameters.require("tape"), request)
        }
        control.get("matches") { _, _ in try JSONAnswer.response(await registry.positions()) }
        control.get("matches/:id") { _, context in
            try await answering { try await registry.position(try id(context)) }
        }
        control.get("matches/:id/labels") { _, context in
            try await answering { try await registry.labels(try id(context)) }
        }
        control.post("matches/:id/:action") { request, context in
            try await act(try context.parameters.require("action"), try id(context), request)
        }
        control.get("faults") { _, _ in try JSONAnswer.response(await registry.waitingFaults()) }
        control.post("faults") { request, _ in try await addFault(request) }
        control.delete("faults") { _, _ in
            await registry.removeFaults()
            return Response(status: .noContent)
        }
    }

    private func load(_ tape: String, _ request: Request) async throws -> Response {
        struct Body: Decodable {
            var speed: Double?
            var lead: Double?
            var paused: Bool?
            var variant: String?
            var seed: UInt64?
            var ballsPerFrame: Int?
            var fixture: Int64?
            var faults: [ProviderFault]?
        }
        let body = try await read(Body.self, request) ?? Body()
        var order = LoadOrder(tapeID: tape)
        order.lead = body.lead ?? 0
        guard (0...7 * 86_400).contains(order.lead) else { throw Problem(.badRequest, "lead is 0 to 604800 seconds") }
        order.speed = try checked(body.speed ?? 1)
        order.isPaused = body.paused ?? false
        guard let variant = TapeVariant(rawValue: body.variant ?? TapeVariant.clean.rawValue) else {
            let names = TapeVariant.allCases.map(\.rawValue).joined(separator: ", ")
            throw Problem(.badRequest, "a variant is one of \(names)")
        }
        order.variant = variant
        order.seed = body.seed ?? 0
        order.ballsPerFrame = body.ballsPerFrame ?? 1
        guard (1...1_000).contains(order.ballsPerFrame) else {
            throw Problem(.badRequest, "ballsPerFrame is 1 to 1000")
        }
        order.fixture = body.fixture
        order.faults = body.faults ?? []
        return try await answering(status: .created) { [order] in try await registry.load(order) }
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
            case "play": return try await registry.play(id)
            case "pause": return try await registry.pause(id)
            case "step": return try await registry.step(id)
            case "stop": return try await registry.stop(id)
            case "seek":
                if let label = body.label { return try await registry.seek(id, to: label) }
                guard let cursor = body.cursor else { throw Problem(.badRequest, "seek wants a label or a cursor") }
                return try await registry.seek(id, cursor: cursor)
            case "speed":
                guard let speed = body.speed else { throw Problem(.badRequest, "speed is missing") }
                return try await registry.setSpeed(id, try checked(speed))
            default: throw Problem(.notFound, "a match can play, pause, step, stop, seek, or change its speed")
            }
        }
    }

    /// Adds a fault, or a list of them, and answers with the same.
    private func addFault(_ request: Request) async throws -> Response {
        struct Body: Decodable {
            var faults: [ProviderFault]
            var isList = true

            init(from decoder: any Decoder) throws {
                if (try? decoder.unkeyedContainer()) != nil {
                    faults = try [ProviderFault](from: decoder)
                } else {
                    faults = [try ProviderFault(from: decoder)]
                    isList = false
                }
            }
        }
        guard let body = try await read(Body.self, request) else { throw Problem(.badRequest, "kind is missing") }
        return try await answering(status: .created) {
            try await registry.add(body.faults)
            return OneOrAll(faults: body.faults, isList: body.isList)
        }
    }

    private struct OneOrAll: Encodable {
        var faults: [ProviderFault]
        var isList: Bool

        func encode(to encoder: any Encoder) throws {
            if isList { try faults.encode(to: encoder) } else { try faults.first.encode(to: encoder) }
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

    /// - Returns: the body; nil when there is none.
    private func read<Body: Decodable>(_ type: Body.Type, _ request: Request) async throws -> Body? {
        let bytes = try await JSONBody.bytes(of: request, upTo: Self.bodyBytesMax)
        return bytes.isEmpty ? nil : try JSONBody.decode(type, from: bytes)
    }

    private func answering(
        status: HTTPResponse.Status = .ok, _ body: () async throws -> some Encodable
    ) async throws -> Response {
        do {
            return try JSONAnswer.response(try await body(), status: status)
        } catch let failure as MatchRegistry.Failure {
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
