public import Observation
public import Sightscreen

/// Fake mode and tapes, for who builds and tests the app. Debug builds only.
@MainActor
public protocol AdminService: AnyObject, Observable, Sendable {
    /// Where the app's calls go; the next call already does.
    var mode: FakeMode { get }

    func setMode(_ mode: FakeMode)

    /// The tapes that the gateway's stand-in provider can play.
    func tapes() async throws(APIError) -> [ReplayTape]

    /// The replays there were when they were last asked for or changed.
    var replays: [ReplayedMatch] { get }

    @discardableResult
    func refreshReplays() async throws(APIError) -> [ReplayedMatch]

    /// Loads a tape: its match is live for the whole system, with pushes and all.
    @discardableResult
    func play(_ order: ReplayOrder) async throws(APIError) -> ReplayedMatch

    @discardableResult
    func control(_ match: MatchID, _ action: ReplayAction) async throws(APIError) -> ReplayedMatch
}

extension AdminService {
    /// Toggles between the gateway and the fake API.
    public func setUsesFakeAPI(_ isOn: Bool) { setMode(isOn ? .fakeAPI : .off) }
}
