public import Observation
public import SightscreenModels

/// An `AdminService` with canned tapes that send nothing, for previews and tests of views.
@MainActor
@Observable
public final class FakeAdminService: AdminService {
    public private(set) var usesFakeAPI = false
    public private(set) var replays: [ReplayedMatch] = []
    private let canned: [ReplayTape]
    private var refusal: APIError?

    public init(
        tapes: [ReplayTape] = [ReplayTape(tapeId: "1304076", title: "Mumbai Indians v Chennai Super Kings")]
    ) { canned = tapes }

    /// Sets the error that every call to the gateway throws from now on; nil for none.
    public func refuse(_ error: APIError?) { refusal = error }

    public func setUsesFakeAPI(_ isOn: Bool) { usesFakeAPI = isOn }

    public func tapes() throws(APIError) -> [ReplayTape] {
        if let refusal { throw refusal }
        return canned
    }

    @discardableResult
    public func refreshReplays() throws(APIError) -> [ReplayedMatch] {
        if let refusal { throw refusal }
        return replays
    }

    @discardableResult
    public func play(_ order: ReplayOrder) throws(APIError) -> ReplayedMatch {
        guard let tape = try tapes().first(where: { $0.tapeId == order.tapeId }) else {
            throw .refused(status: 404, nil, retryAfter: nil)
        }
        let replay = ReplayedMatch(
            matchId: MatchID(9_000_000_000 + Int64(replays.count)), tapeId: tape.tapeId, title: tape.title,
            variant: order.variant ?? "clean", frames: 250, playing: order.paused != true, speed: order.speed ?? 1)
        replays.append(replay)
        return replay
    }

    @discardableResult
    public func control(_ match: MatchID, _ action: ReplayAction) throws(APIError) -> ReplayedMatch {
        if let refusal { throw refusal }
        guard let index = replays.firstIndex(where: { $0.matchId == match }) else {
            throw .refused(status: 404, nil, retryAfter: nil)
        }
        switch action {
        case .play: replays[index].playing = true
        case .pause: replays[index].playing = false
        case .step: replays[index].cursor += 1
        case .seekToFrame(let frame): replays[index].cursor = frame
        case .seekToBall(let ball): replays[index].label = ball
        case .speed(let speed): replays[index].speed = speed
        case .stop: return replays.remove(at: index)
        }
        return replays[index]
    }
}
