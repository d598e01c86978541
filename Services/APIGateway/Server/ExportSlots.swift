import NIOConcurrencyHelpers
import SightscreenModels

/// The exports that are under way: few are made at a time, and few answers wait in memory for their readers. A slow reader
/// keeps a place in memory, and none of those where exports are made.
final class ExportSlots: Sendable {
    /// The most that are made at a time in the whole process: each takes a connection to the database and some megabytes
    /// for a moment.
    static let makingMax = 2
    /// The most in the whole process, those that are being made among them. An answer is half a megabyte at most.
    static let max = 32
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

        deinit { slots.steps.withLockedValue { _ = $0.removeValue(forKey: user) } }
    }

    private enum Step { case isMade, isRead }

    private let steps = NIOLockedValueBox<[UserID: Step]>([:])

    /// Makes an export. Its place is kept until the answer is written.
    /// - Throws: `Problem`, a 503, if there is no room, or another export of the user is under way; what `make` throws.
    func reply(to user: UserID, _ make: () async throws -> Reply) async throws -> Reply {
        let slot = try take(for: user)
        var reply = try await make()
        steps.withLockedValue { $0[user] = .isRead }
        reply.heldUntilWritten = slot
        return reply
    }

    private func take(for user: UserID) throws(Problem) -> Slot {
        let isAdmitted = steps.withLockedValue { steps in
            guard steps.count < Self.max, steps[user] == nil,
                steps.values.count(where: { $0 == .isMade }) < Self.makingMax
            else { return false }
            steps[user] = .isMade
            return true
        }
        guard isAdmitted else {
            throw Problem(
                .unavailable, "other exports are under way", headers: ["Retry-After": String(Self.retryAfter)])
        }
        return Slot(user, of: self)
    }
}
