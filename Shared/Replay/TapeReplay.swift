package import Detection
import SightscreenModels
package import Tapes

/// Plays a tape made of a Cricsheet match, frame by frame, as a poller would see it.
public struct TapeReplay: Sendable, Sequence, IteratorProtocol {
    /// The start of play in seconds since 1970. Any time will do; the same time gives the same lines.
    public static let startsAt = 1_750_000_000

    private var reel: TapeReel
    private var left: ArraySlice<Int>
    private var replay: MatchReplay
    private var isFinished = false

    /// - Parameters:
    ///   - ballsPerFrame: 1 for a frame for each ball, 2 for one for every second ball, and so on; at least 1.
    package init(_ tape: Tape, ballsPerFrame: Int = 1, timing: MatchTiming = MatchTiming()) {
        reel = TapeReel(tape, clock: TapeClock(startsAt: Self.startsAt))
        left = (ballsPerFrame == 1 ? Array(tape.frames.indices) : tape.frames(ballsPerFrame: ballsPerFrame))[...]
        replay = MatchReplay(MatchID(tape.id), timing: timing)
    }

    /// The next step; nil after the last frame and the time that follows it.
    public mutating func next() -> ReplayStep? {
        guard let index = left.popFirst() else {
            guard !isFinished else { return nil }
            isFinished = true
            return replay.finish()
        }
        let frame = reel.tape.frames[index]
        // The poll comes two seconds after the provider has the frame.
        let fetchedAt = Int64(reel.clock.time(of: frame.offset)) * 1_000 + 2_000
        return replay.take(reel.fixture(index), label: frame.label, at: fetchedAt)
    }
}
