public import Observation
public import SightscreenModels

/// Fake mode and tapes, for who builds and tests the app. Debug builds only.
@MainActor
public protocol AdminService: AnyObject, Observable, Sendable {
    /// Where the app's calls go.
    var mode: FakeMode { get }

    /// Another canned scenario counts from the next call on. Another backend counts for services that are made after it,
    /// so that nothing of one is in what the app knows of the other: the app makes its services anew.
    func setMode(_ mode: FakeMode)

    /// The tapes that the fake API's stand-in provider can play, whatever mode the app is in.
    func tapes() async throws(APIError) -> [ReplayTape]

    /// The replays there were when they were last asked for or changed.
    var replays: [ReplayedMatch] { get }

    /// Asks which replays there are.
    @discardableResult
    func refreshReplays() async throws(APIError) -> [ReplayedMatch]

    /// Loads a tape: its match is live for the whole system, with pushes and all.
    @discardableResult
    func play(_ order: ReplayOrder) async throws(APIError) -> ReplayedMatch

    /// Pauses a replay, lets it go on, or whatever else the action says.
    @discardableResult
    func control(_ match: MatchID, _ action: ReplayAction) async throws(APIError) -> ReplayedMatch
}

extension AdminService {
    /// Toggles between the gateway and the fake API.
    public func setUsesFakeAPI(_ isOn: Bool) { setMode(isOn ? .fakeAPI : .off) }
}
