public import Detection
import Sightscreen
public import Tapes

/// Plays a tape made of a Cricsheet match, frame by frame, as a poller would see it.
public struct TapeReplay: Sendable, Sequence, IteratorProtocol {
    /// When play starts, seconds since 1970: any time does, and the same one gives the same lines.
    public static let startsAt = 1_750_000_000

    private let tape: Tape
    private let clock = TapeClock(startsAt: startsAt)
    private var left: ArraySlice<Int>
    private var replay: MatchReplay
    private var isFinished = false

    /// - Parameters:
    ///   - frames: positions of the frames that are seen; nil for all.
    public init(_ tape: Tape, frames: [Int]? = nil, timing: MatchTiming = MatchTiming()) {
        self.tape = tape
        left = (frames ?? Array(tape.frames.indices))[...]
        replay = MatchReplay(MatchID(tape.id), timing: timing)
    }

    /// Nil after the last frame and the time that follows it.
    public mutating func next() -> ReplayStep? {
        guard let index = left.popFirst() else {
            guard !isFinished else { return nil }
            isFinished = true
            return replay.finish()
        }
        let frame = tape.frames[index]
        let fixture = tape.livescoreFixture(index, clock: clock)
        // Two seconds after the provider has it.
        return replay.take(fixture, label: frame.label, at: Int64(clock.time(of: frame.offset)) * 1_000 + 2_000)
    }
}
