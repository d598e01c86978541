import FanOut
import Logging
import SightscreenModels

/// Sends what goes to a phone once, each kind by a part of its own: starts, ends, and pushes to apps.
struct OneShotSenders: Sendable {
    let starts: StartSender
    let ends: EndSender
    let appPushes: AppPushSender
    let verdicts: TokenVerdicts
    private let pushes: PushesUnderWay

    init(
        store: ActivityStore, fanOut: FanOutLoops, publisher: MatchPublisher, gates: StartGates, brakes: Brakes,
        schedule: Schedule, configuration: LACoordinatorConfiguration, logger: Logger
    ) {
        pushes = PushesUnderWay()
        verdicts = TokenVerdicts(store: store, logger: logger)
        starts = StartSender(
            store: store, fanOut: fanOut, publisher: publisher, verdicts: verdicts, gates: gates, brakes: brakes,
            pushes: pushes, configuration: configuration, logger: logger)
        ends = EndSender(
            store: store, fanOut: fanOut, publisher: publisher, brakes: brakes, pushes: pushes, schedule: schedule,
            configuration: configuration, logger: logger)
        appPushes = AppPushSender(
            store: store, fanOut: fanOut, publisher: publisher, verdicts: verdicts, brakes: brakes, pushes: pushes,
            bundleID: configuration.apns.bundleID, logger: logger)
    }

    /// Some are under way.
    var isBusy: Bool { !pushes.isEmpty }
}

/// The title of an alert that is no event of play.
enum AlertTitle {
    /// "MI v CSK is live".
    static func live(_ match: MatchCard, _ state: ContentState?) -> String { "\(teams(match, state)) is live" }

    /// "MI v CSK starts in 10 min": a card that `START_LEAD` shows before play.
    /// - Parameter now: seconds since 1970.
    static func soon(_ match: MatchCard, _ state: ContentState, at now: Int) -> String {
        let minutes = (match.startsAt - now + 59) / 60
        // A delay of which the schedule has not spoken; or no start that anybody would count down to.
        return "\(teams(match, state)) starts \((1...90).contains(minutes) ? "in \(minutes) min" : "soon")"
    }

    private static func teams(_ match: MatchCard, _ state: ContentState?) -> String {
        let teams = [match.home.code, match.away.code].filter { !$0.isEmpty }
        // The schedule does not know it: the state names both.
        let title = teams.count == 2 ? teams.joined(separator: " v ") : state?.expanded.title ?? ""
        return title.isEmpty ? "Your match" : title
    }
}
