import SightscreenModels
import Store
/// The calls for the operator's hold, which keeps alerts or all pushes from leaving, for one match or everywhere
/// (deploy/docs/operating.md).
struct HoldRoutes: Sendable {
    let holds: HoldStore
    let schedule: ScheduleStore
    let audit: AdminStore
    let notifier: any CoordinatorNotifier

    private static func setting(_ id: String, _ summary: String, _ refusals: [Problem.Kind] = []) -> Operation {
        Operation(
            id: id, summary: summary, tag: .admin,
            answer: .ok("Hold", "It holds in every coordinator within a second."), refusals: refusals, limit: .admin)
    }

    private static func reading(_ id: String, _ summary: String, _ refusals: [Problem.Kind] = []) -> Operation {
        Operation(
            id: id, summary: summary, tag: .admin, answer: .ok("Hold", "As it is."), isTagged: true,
            refusals: refusals, limit: .admin)
    }

    var routes: [Route] {
        let match = "/admin/matches/:id/hold"
        let everywhere = "/admin/hold"
        return [
            Route(
                "GET", match, .admins, Self.reading("getMatchHold", "What is held of a match.", [.unknownMatch]),
                answering: { try await read($0, $0.matchID) }),
            Route(
                "GET", everywhere, .admins, Self.reading("getHold", "What is held everywhere."),
                answering: { try await read($0, nil) }),
            Route(
                "PUT", match, .admins,
                Self.setting("setMatchHold", "Hold back a match's alerts or pushes, or lift it.", [.unknownMatch]),
                taking: { try await set($0, $0.matchID, $1) }),
            Route(
                "PUT", everywhere, .admins, Self.setting("setHold", "Hold back all alerts or pushes, or lift it."),
                taking: { try await set($0, nil, $1) }),
            // POST does the same as PUT, for tools that know only that method.
            Route(
                "POST", match, .admins, Self.setting("postMatchHold", "As PUT.", [.unknownMatch]),
                taking: { try await set($0, $0.matchID, $1) }),
            Route(
                "POST", everywhere, .admins, Self.setting("postHold", "As PUT."), taking: { try await set($0, nil, $1) }
            ),
        ]
    }

    private func set(_ request: GatewayRequest, _ match: MatchID?, _ change: HoldChange) async throws -> HoldResponse {
        let level = change.level
        // A hold can be lifted even if its match is no longer in the schedule.
        if let match, try await schedule.match(match) == nil, try await holds.hold(of: match).level == .none {
            try await audit.audit(request.call, "hold-refused", ["match": "\(match)", "level": level.rawValue])
            throw Problem(.unknownMatch)
        }
        try await holds.set(level, match: match, actor: request.actor, requestID: request.id)
        await notifier.notifyOfHolds()
        return try await answer(match)
    }

    private func read(_ request: GatewayRequest, _ match: MatchID?) async throws -> HoldResponse {
        try await audit.audit(request.call, "hold-read", match.map { ["match": "\($0)"] } ?? [:])
        if let match, try await schedule.match(match) == nil { throw Problem(.unknownMatch) }
        return try await answer(match)
    }

    private func answer(_ match: MatchID?) async throws -> HoldResponse {
        let state = try await holds.hold(of: match)
        return HoldResponse(
            matchId: match, hold: state.level, effective: state.effective, setAt: state.setAt, setBy: state.setBy)
    }
}

private struct HoldChange: RequestBody {
    static let body = Operation.Body(
        name: "HoldChange",
        fields: [
            Schema.required(
                "hold", .choice(of: HoldLevel.self),
                "alerts: nothing alerts; pushes: nothing leaves; none: it is lifted.")
        ])

    let level: HoldLevel

    init(_ fields: FieldReader) throws {
        level = try FieldReader.required("hold", fields.choice("hold", of: HoldLevel.self))
    }
}
