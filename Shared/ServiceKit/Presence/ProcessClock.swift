import FoundationEssentials
import Metrics
import NIOConcurrencyHelpers
import Reactor

/// The time for a whole process: PostgreSQL's, as it was last read, because this machine's own clock may be wrong. It goes
/// on while PostgreSQL does not answer.
public final class ProcessClock: Sendable {
    /// A process whose machine's clock is wrong by more is not ready, in seconds.
    static let offsetMax = 60.0
    /// An answer that took longer says too little about the moment at which the clock was read.
    private static let roundTripMax = Duration.seconds(1)

    private let local: @Sendable () -> Double
    private let reading = NIOLockedValueBox<DatabaseClock?>(nil)

    /// - Parameter local: this machine's clock, in seconds since 1970.
    package init(local: @escaping @Sendable () -> Double = { Date().timeIntervalSince1970 }) { self.local = local }

    /// Whole seconds since 1970; by this machine's clock until PostgreSQL's was read for the first time.
    public var seconds: Int { reading.withLockedValue { $0 }?.seconds ?? Int(local()) }

    /// Notes a time that PostgreSQL answered with, in seconds since 1970.
    /// - Parameter asked: when it was asked for.
    /// - Returns: by how many seconds this machine's clock is ahead; nil if the answer took too long to tell.
    package func note(_ seconds: Double, asked: ContinuousClock.Instant) -> Double? {
        let roundTrip = .now - asked
        // The clock was read about half-way.
        let now = seconds + roundTrip / .seconds(2)
        return reading.withLockedValue { reading in
            // Until there is a better one, any is better than none.
            guard reading == nil || roundTrip <= Self.roundTripMax else { return nil }
            reading = DatabaseClock(seconds: now)
            let offset = local() - now
            Meter(label: "sightscreen_clock_offset_seconds").set(offset)
            return offset
        }
    }
}
