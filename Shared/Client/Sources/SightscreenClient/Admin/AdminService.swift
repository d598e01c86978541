public import Observation
public import SightscreenModels

/// Fake mode and tapes, for developers and testers of the app. Debug builds only.
@MainActor
public protocol AdminService: AnyObject, Observable, Sendable {
    /// Whether the app's calls go to the fake API, a gateway with a stand-in provider.
    var usesFakeAPI: Bool { get }

    /// Switches fake mode for services that are made afterwards. The app makes its services anew, so that no state of
    /// one backend is used with the other.
    func setUsesFakeAPI(_ isOn: Bool)

    /// Returns the tapes that the fake API's stand-in provider can play. It asks the fake API even while the app uses
    /// the gateway.
    func tapes() async throws(APIError) -> [ReplayTape]

    /// The replays that the last request or change returned.
    var replays: [ReplayedMatch] { get }

    /// Fetches the current replays.
    @discardableResult
    func refreshReplays() async throws(APIError) -> [ReplayedMatch]

    /// Loads a tape. Its match is live for the whole system, including pushes.
    @discardableResult
    func play(_ order: ReplayOrder) async throws(APIError) -> ReplayedMatch

    /// Controls a replay: plays, pauses, stops or moves it.
    @discardableResult
    func control(_ match: MatchID, _ action: ReplayAction) async throws(APIError) -> ReplayedMatch
}
