import NIOConcurrencyHelpers
import ServiceKit
import SightscreenModels

/// Rings at once for the first that asks, and for all who ask within the next moment once more at its end: when a match
/// goes live, thousands a second have a reason to ring, and a coordinator looks at everything when it hears one.
struct GatheredBell: CoordinatorBell {
    static let interval = Duration.milliseconds(50)

    private let bell: any CoordinatorBell
    private let pause: @Sendable () async -> Void
    /// Matches for which it rang a moment ago; true where somebody has asked since.
    private let recent = NIOLockedValueBox<[MatchID: Bool]>([:])

    /// - Parameter pause: how long a moment is.
    init(
        _ bell: any CoordinatorBell,
        pause: @escaping @Sendable () async -> Void = { try? await Task.sleep(for: interval) }
    ) {
        self.bell = bell
        self.pause = pause
    }

    func ring(for matches: Set<MatchID>) async {
        let first = recent.withLockedValue { recent in
            matches.filter { match in
                let isFirst = recent[match] == nil
                recent[match] = !isFirst
                return isFirst
            }
        }
        guard !first.isEmpty else { return }
        // What it rings for later is of no one caller's trace.
        for match in first { Task { await TraceContext.$current.withValue(nil) { await repeatRing(match) } } }
        await bell.ring(for: first)
    }

    /// Holds are few, and must be known at once.
    func ringHolds() async { await bell.ringHolds() }

    @concurrent private func repeatRing(_ match: MatchID) async {
        repeat { await pause() } while await ringAgain(match)
    }

    private func ringAgain(_ match: MatchID) async -> Bool {
        let isAsked = recent.withLockedValue { recent in
            let isAsked = recent[match] == true
            recent[match] = isAsked ? false : nil
            return isAsked
        }
        if isAsked { await bell.ring(for: [match]) }
        return isAsked
    }
}
