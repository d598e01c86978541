import FoundationEssentials
import HTTPClient
import SightscreenModels
import Store

/// The calls for tapes and replays of mock-sportmonks, for development and demonstrations (`REPLAY_URL`). Without that
/// setting these calls do not exist.
struct ReplayRoutes: Sendable {
    let store: AdminStore
    let client: ReplayClient

    private static let refusals: [Problem.Kind] = [.unknownReplay, .replayRefused]

    var routes: [Route] {
        [
            Route(
                "GET", "/admin/replay/tapes", .admins,
                Operation(
                    id: "listTapes", summary: "The tapes that can be played.", tag: .admin,
                    answer: .ok("Tapes", "Matches by their id, recordings by their name."), limit: .admin),
                answering: { request in
                    try await store.audit(request.call, "replay-tapes")
                    return ["tapes": try await client.tapes()]
                }),
            Route(
                "GET", "/admin/replay/matches", .admins,
                Operation(
                    id: "listReplays", summary: "The matches that are played.", tag: .admin,
                    answer: .ok("Replays", "Each with its position."), limit: .admin),
                answering: { request in
                    try await store.audit(request.call, "replay-matches")
                    return ["matches": try await client.replays()]
                }),
            Route(
                "POST", "/admin/replay/matches", .admins,
                Operation(
                    id: "startReplay", summary: "Load a tape; its match begins as if it were live.", tag: .admin,
                    body: ReplayOrder.body, answer: .created("Replay", "Each load is a match of its own."),
                    refusals: Self.refusals, limit: .admin), start),
            Route(
                "GET", "/admin/replay/matches/:id", .admins,
                Operation(
                    id: "getReplay", summary: "Where a replay is.", tag: .admin, answer: .ok("Replay", "Its position."),
                    refusals: [.unknownMatch] + Self.refusals, limit: .admin),
                answering: { request in
                    let match = try request.matchID
                    try await store.audit(request.call, "replay-match", ["match": "\(match)"])
                    return try await client.replay(match)
                }),
            Route(
                "POST", "/admin/replay/matches/:id/control", .admins,
                Operation(
                    id: "controlReplay", summary: "Play, pause, stop, step, seek to a ball, change the speed.",
                    tag: .admin, answer: .ok("Replay", "Its position now."),
                    refusals: [.unknownMatch] + Self.refusals, limit: .admin), taking: act),
        ]
    }

    @Sendable private func start(_ request: GatewayRequest) async throws -> Reply {
        let order = try ReplayOrder(request.fields)
        try await store.audit(request.call, "replay-start", ["tape": order.tape])
        let replay = try await client.load(order.tape, order.order)
        var reply = try Reply.json(replay, status: 201)
        reply.headers["Location"] = "/admin/replay/matches/\(replay.matchId)"
        return reply
    }

    @Sendable private func act(
        _ request: GatewayRequest, _ control: ReplayControl
    ) async throws -> ReplayClient.Position {
        let match = try request.matchID
        try await store.audit(request.call, "replay-\(control.action)", ["match": "\(match)"])
        return try await client.act(control.action, match, control.place)
    }
}

private struct ReplayOrder: RequestBody {
    static let body = Operation.Body(
        name: "ReplayOrder",
        fields: [
            Schema.required("tapeId", .text(.tape)),
            Schema.optional("speed", .number(ReplayClient.speeds), "Seconds of the match per second; 1 if not given."),
            Schema.optional("paused", .flag, "Loaded, not playing yet."),
            Schema.optional("lead", .integer(0...604_800), "Seconds to the start of play."),
            Schema.optional("variant", .text(.tape), "How the provider misbehaves: clean, corrections, storm …"),
            Schema.optional("seed", .integer(0...Int(Int32.max))),
        ])

    let tape: String
    let order: ReplayClient.Order

    init(_ fields: FieldReader) throws {
        tape = try FieldReader.required("tapeId", fields.text("tapeId"))
        order = ReplayClient.Order(
            speed: try fields.number("speed"), lead: try fields.integer("lead"), paused: try fields.flag("paused"),
            variant: try fields.text("variant"), seed: try fields.integer("seed"))
    }
}

private struct ReplayControl: RequestBody {
    static let body = Operation.Body(
        name: "ReplayControl",
        fields: [
            Schema.required("action", .choice(of: ReplayClient.Action.self, name: "ReplayAction")),
            Schema.optional("ball", .text(.ball), "Of seek: the ball to go to, as a label begins (S1 12.3)."),
            Schema.optional("cursor", .integer(1...1_000_000), "Of seek: how many frames to have shown."),
            Schema.optional("speed", .number(ReplayClient.speeds), "Of speed."),
        ])

    let action: ReplayClient.Action
    let place: ReplayClient.Argument

    init(_ fields: FieldReader) throws {
        action = try FieldReader.required("action", fields.choice("action", of: ReplayClient.Action.self))
        place = ReplayClient.Argument(
            label: try fields.text("ball"), cursor: try fields.integer("cursor"), speed: try fields.number("speed"))
        switch action {
        case .seek:
            guard (place.label == nil) != (place.cursor == nil) else {
                throw Problem(.replayRefused, "to seek takes a ball or a cursor, one of them", field: "ball")
            }
        case .speed:
            guard place.speed != nil else { throw Problem(.replayRefused, "speed is missing", field: "speed") }
        default: break
        }
    }
}
