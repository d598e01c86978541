import FanOut
import Logging
import SightscreenModels

/// The senders of pushes that go to a phone once: starts, ends, and pushes to apps.
struct OneShotSenders: Sendable {
    let starts: StartSender
    let ends: EndSender
    let appPushes: AppPushSender
    let tokenOutcomes: TokenOutcomes
    private let pushes: PushesInFlight

    init(
        store: ActivityStore, fanOut: FanOutLoops, publisher: MatchPublisher, gates: StartGates, matchHolds: MatchHolds,
        schedule: Schedule, configuration: LACoordinatorConfiguration, logger: Logger
    ) {
        pushes = PushesInFlight()
        tokenOutcomes = TokenOutcomes(store: store, logger: logger)
        starts = StartSender(
            store: store, fanOut: fanOut, publisher: publisher, tokenOutcomes: tokenOutcomes, gates: gates,
            matchHolds: matchHolds,
            pushes: pushes, schedule: schedule, configuration: configuration, logger: logger)
        ends = EndSender(
            store: store, fanOut: fanOut, publisher: publisher, matchHolds: matchHolds, pushes: pushes,
            schedule: schedule,
            configuration: configuration, logger: logger)
        appPushes = AppPushSender(
            store: store, fanOut: fanOut, publisher: publisher, tokenOutcomes: tokenOutcomes, matchHolds: matchHolds,
            pushes: pushes,
            bundleID: configuration.apns.bundleID, logger: logger)
    }

    /// Whether any of these pushes is in flight.
    var isBusy: Bool { !pushes.isEmpty }
}

/// Titles of alerts that are about no event of play.
enum AlertTitle {
    /// "MI v CSK is live"; "ENG v IND, day 2" from the second day of a match on.
    static func live(_ match: MatchCard, _ state: ContentState?) -> String {
        guard let day = day(of: state), day > 1 else { return "\(teams(match, state)) is live" }
        return "\(teams(match, state)), day \(day)"
    }

    /// "ENG v IND goes on": a card that takes the place of one that grew old.
    static func renewed(_ match: MatchCard, _ state: ContentState?) -> String { "\(teams(match, state)) goes on" }

    /// The day of play, as the card says it: "Day 2 · Session 1".
    private static func day(of state: ContentState?) -> Int? {
        guard let words = state?.expanded.session?.split(separator: " "), words.count > 1, words[0] == "Day" else {
            return nil
        }
        return Int(words[1])
    }

    /// "MI v CSK starts in 10 min": a card that `START_LEAD` shows before play.
    /// - Parameter now: seconds since 1970.
    static func soon(_ match: MatchCard, _ state: ContentState, at now: Int) -> String {
        let minutes = (match.startsAt - now + 59) / 60
        // The start has passed in the schedule, or is too far away for a countdown.
        return "\(teams(match, state)) starts \((1...90).contains(minutes) ? "in \(minutes) min" : "soon")"
    }

    private static func teams(_ match: MatchCard, _ state: ContentState?) -> String {
        let teams = [match.home.code, match.away.code].filter { !$0.isEmpty }
        // When the schedule does not know the match, the title of the state names both teams.
        let title = teams.count == 2 ? teams.joined(separator: " v ") : state?.expanded.title ?? ""
        return title.isEmpty ? "Your match" : title
    }
}
