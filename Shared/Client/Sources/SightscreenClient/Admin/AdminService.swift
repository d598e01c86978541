public import Observation
public import SightscreenModels

/// Fake mode and tapes, for who builds and tests the app. Debug builds only.
@MainActor
public protocol AdminService: AnyObject, Observable, Sendable {
    /// Whether the app's calls go to the fake API, a gateway with a stand-in provider.
    var usesFakeAPI: Bool { get }

    /// Counts for services that are made after it: the app makes its services anew, so that nothing of one backend is in what
    /// it knows of the other.
    func setUsesFakeAPI(_ isOn: Bool)

    /// The tapes that the fake API's stand-in provider can play, whichever backend the app uses.
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
