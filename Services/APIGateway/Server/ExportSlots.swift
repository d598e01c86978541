import NIOConcurrencyHelpers
import SightscreenModels

/// The exports that are under way: few, because each is a long answer that waits in memory for its reader.
final class ExportSlots: Sendable {
    /// In the whole process. An export is half a megabyte at most, and made and read within a second.
    static let max = 2
    /// Seconds, so that a user who tries again after each of them stays within `RateLimit.account`.
    static let retryAfter = 15

    /// One export's place, given back with the last reference to it.
    final class Slot: Sendable {
        private let user: UserID
        private let slots: ExportSlots

        fileprivate init(_ user: UserID, of slots: ExportSlots) {
            self.user = user
            self.slots = slots
        }

        deinit { slots.users.withLockedValue { _ = $0.remove(user) } }
    }

    private let users = NIOLockedValueBox<Set<UserID>>([])

    /// - Throws: `Problem`, a 503, if there is no room, or another export of the user is under way.
    func take(for user: UserID) throws(Problem) -> Slot {
        let isAdmitted = users.withLockedValue { users in
            users.count < Self.max && users.insert(user).inserted
        }
        guard isAdmitted else {
            throw Problem(
                .unavailable, "other exports are being read", headers: ["Retry-After": String(Self.retryAfter)])
        }
        return Slot(user, of: self)
    }
}
