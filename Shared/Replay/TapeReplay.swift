public import Detection
import SightscreenModels
public import Tapes

/// Plays a tape made of a Cricsheet match, frame by frame, as a poller would see it.
public struct TapeReplay: Sendable, Sequence, IteratorProtocol {
    /// When play starts, seconds since 1970: any time does, and the same one gives the same lines.
    public static let startsAt = 1_750_000_000

    private var reel: TapeReel
    private var left: ArraySlice<Int>
    private var replay: MatchReplay
    private var isFinished = false

    /// - Parameters:
    ///   - ballsPerFrame: a frame for each ball, or for every second, third, and so on; from 1.
    public init(_ tape: Tape, ballsPerFrame: Int = 1, timing: MatchTiming = MatchTiming()) {
        reel = TapeReel(tape, clock: TapeClock(startsAt: Self.startsAt))
        left = (ballsPerFrame == 1 ? Array(tape.frames.indices) : tape.frames(ballsPerFrame: ballsPerFrame))[...]
        replay = MatchReplay(MatchID(tape.id), timing: timing)
    }

    /// Nil after the last frame and the time that follows it.
    public mutating func next() -> ReplayStep? {
        guard let index = left.popFirst() else {
            guard !isFinished else { return nil }
            isFinished = true
            return replay.finish()
        }
        let frame = reel.tape.frames[index]
        // Two seconds after the provider has it.
        let fetchedAt = Int64(reel.clock.time(of: frame.offset)) * 1_000 + 2_000
        return replay.take(reel.fixture(index), label: frame.label, at: fetchedAt)
    }
}
