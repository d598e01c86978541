import Hummingbird
import Postgres
import Store
import Tokens

extension PostgresError {
    /// Whether the statement will fail however often it is repeated: bad data, a broken rule, a wrong name.
    fileprivate var isBug: Bool {
        code == .decoding || rule?.statement == .wrong
    }
}

extension Problem {
    /// The problem for an error that a handler throws; nil for an error that is a bug.
    init?(_ error: any Error) {
        switch error {
        case let problem as Problem: self = problem
        case is AccountDeleted: self = .unauthorized("the account was deleted")
        case is DeviceRequired:
            self.init(.deviceRequired, "no phone is registered, or several are: register it, or say which in deviceId")
        case is TokenOfAnotherKind:
            self.init(.tokenOfAnotherKind, "APNs takes this token for pushes of another kind")
        case let error as LimitReached: self.init(.limitReached, "\(error)")
        case FollowStore.Refusal.unknownMatch: self.init(.unknownMatch)
        case FollowStore.Refusal.unknownTeam:
            self.init(.unknownTeam, "neither side of the match has this id", field: "teamId")
        case is Turns.Refusal: self = .unavailable("too many requests of this user, or for this token, are under way")
        case BatcherRefusal.full: self = .unavailable("too many requests wait for the database")
        case BatcherRefusal.late: self = .unavailable("the database takes too long")
        // A user's damaged token is no error; what is left is the sample that shows which keys encrypt.
        case is TokenKeyFile.Mismatch, is TokenCipher.Failure: self = .unavailable("a key is missing")
        case let error as PostgresError where !error.isBug:
            // Trouble of PostgreSQL passes or is repaired, so the request may be repeated.
            self = .unavailable("the database cannot answer")
        default: return nil
        }
    }
}
