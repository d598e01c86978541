public import Observation
public import SightscreenModels

/// The fake-mode switch of this phone, and the fake API's `/admin/replay` calls, which need an administrator's session.
@MainActor
@Observable
public final class RealAdminService: AdminService {
    public private(set) var usesFakeAPI: Bool
    public private(set) var replays: [ReplayedMatch] = []

    @ObservationIgnored private let api: SightscreenAPI
    @ObservationIgnored private let fakeMode: FakeModeSwitch

    // The initialiser is not public, so that an app cannot make the service in a release build.
    package init(_ api: SightscreenAPI, _ fakeMode: FakeModeSwitch) {
        self.api = api
        self.fakeMode = fakeMode
        usesFakeAPI = fakeMode.isOn
    }

    public func setUsesFakeAPI(_ isOn: Bool) {
        fakeMode.set(isOn)
        usesFakeAPI = isOn
    }

    public func tapes() async throws(APIError) -> [ReplayTape] { try await api.replayTapes() }

    @discardableResult
    public func refreshReplays() async throws(APIError) -> [ReplayedMatch] {
        let replays = try await api.replays()
        self.replays = replays
        return replays
    }

    @discardableResult
    public func play(_ order: ReplayOrder) async throws(APIError) -> ReplayedMatch {
        let replay = try await api.startReplay(order)
        note(replay, isThere: true)
        return replay
    }

    @discardableResult
    public func control(_ match: MatchID, _ action: ReplayAction) async throws(APIError) -> ReplayedMatch {
        let replay = try await api.controlReplay(match, action)
        note(replay, isThere: action != .stop)
        return replay
    }

    private func note(_ replay: ReplayedMatch, isThere: Bool) {
        replays.removeAll { $0.matchId == replay.matchId }
        if isThere { replays.append(replay) }
        replays.sort { $0.matchId < $1.matchId }
    }
}

#if DEBUG
    extension RealAdminService {
        /// - Parameters:
        ///   - api: the client of the fake API. Tapes are never requested from the production gateway.
        ///   - fakeMode: the switch that the app's services were made with.
        public convenience init(api: SightscreenAPI, fakeMode: FakeModeSwitch) { self.init(api, fakeMode) }
    }
#else
    extension RealAdminService {
        // The tests use this initialiser when they run in a release build.
        package convenience init(api: SightscreenAPI, fakeMode: FakeModeSwitch) { self.init(api, fakeMode) }
    }
#endif
