import Hummingbird
import Postgres
import Store

extension PostgresError {
    /// A statement that will fail however often it is repeated: bad data, a broken rule, a wrong name.
    fileprivate var isBug: Bool {
        switch code {
        case .decoding: true
        // Two at once; the loser may succeed when it is sent again.
        case .constraint(let state): state != "23505" && state != "23503"
        case .server(let state): state.hasPrefix("22") || state.hasPrefix("42")
        default: false
        }
    }
}

extension Problem {
    /// The problem behind any error a handler throws; nil for one that is a bug.
    init?(_ error: any Error) {
        switch error {
        case let problem as Problem: self = problem
        case is AccountDeleted: self = .unauthorized("the account was deleted")
        case is DeviceRequired:
            self.init(.deviceRequired, "no phone is registered, or several are: register it, or say which in deviceId")
        case let error as LimitReached: self.init(.limitReached, "\(error)")
        case FollowStore.Refusal.unknownMatch: self.init(.unknownMatch)
        case FollowStore.Refusal.unknownTeam:
            self.init(.unknownTeam, "neither side of the match has this id", field: "teamId")
        case GatherRefusal.full: self = .unavailable("too many requests wait for the database")
        case GatherRefusal.late: self = .unavailable("the database takes too long")
        case let error as PostgresError where !error.isBug:
            // Whatever PostgreSQL's trouble is, it passes or is repaired; the request may be repeated either way.
            self = .unavailable("the database cannot answer")
        default: return nil
        }
    }
}
