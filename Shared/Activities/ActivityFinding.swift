/// The finding of an `ActivityCase`.
public enum ActivityFinding: String, Sendable, Hashable, CaseIterable, Codable {
    // The activity exists, or is on its way.
    case running
    case startIsOut
    case startsLocally
    case startDue
    case madeNextPass
    // The activity exists and should not.
    case endsNextPass
    // The activity should not exist, and does not.
    case notFollowed
    case followExpired
    case notLive
    case settled
    // The activity should exist, and something is in the way.
    case notAllowed
    case noStartToken
    case givenUp
    case held
    case phoneHourCap
    case phoneDayCap
    case userDayCap

    init(_ cap: ActivityCase.Cap) {
        self =
            switch cap {
            case .phoneHour: .phoneHourCap
            case .phoneDay: .phoneDayCap
            case .userDay: .userDayCap
            }
    }

    /// Whether the activity differs from what should exist, for a person who looks for the reason.
    public var isDiscrepancy: Bool {
        switch self {
        case .running, .startIsOut, .startsLocally, .notFollowed, .followExpired, .notLive, .settled: false
        case .startDue, .madeNextPass, .endsNextPass, .notAllowed, .noStartToken, .givenUp, .held, .phoneHourCap,
            .phoneDayCap, .userDayCap:
            true
        }
    }

    /// The finding in words, for a person.
    public var text: String {
        switch self {
        case .running: "it runs"
        case .startIsOut: "a push-to-start is out, and its lease has not passed"
        case .startsLocally: "the app said that it starts its own, and has time left for it"
        case .startDue: "waits for la-coordinator to send its start (START_RATE; does a coordinator hold the shard?)"
        case .madeNextPass:
            "has no record: the next pass of the orchestrator makes one (does one hold the lease?)"
        case .endsNextPass: "should have ended: the orchestrator's next pass ends it"
        case .notFollowed: "the user does not follow the match"
        case .followExpired: "the follow has expired"
        case .notLive: "the match is not in play"
        case .settled: "the result is announced: nothing is started any more"
        case .notAllowed: "the app says that Live Activities are switched off"
        case .noStartToken: "no push-to-start token: the app has not registered one, or APNs has called it dead"
        case .givenUp: "the tries are used up: nothing more until the app registers again"
        case .held: "the operator holds all pushes"
        case .phoneHourCap: "the phone has had as many starts as it may in an hour"
        case .phoneDayCap: "the phone has had as many starts as it may in a day"
        case .userDayCap: "the user's phones have had as many starts as they may in a day"
        }
    }
}
