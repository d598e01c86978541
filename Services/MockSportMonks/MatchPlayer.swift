import Tapes

/// Plays one tape: knows which frame the provider shows at a moment. The caller passes the time, in seconds since 1970;
/// nothing here waits.
struct MatchPlayer: Sendable {
    /// The speeds that are accepted; at the fastest, a whole T20 lasts a hundredth of a second.
    static let speeds = 0.01...1_000_000.0

    let tape: LoadedTape
    let tapeID: String
    private(set) var clock: TapeClock
    private(set) var speed: Double
    private(set) var isPlaying = false
    /// Frames shown so far.
    private(set) var cursor = 0
    /// The revision changes with everything except the passing of time; with the cursor it says whether an answer is
    /// still valid.
    private(set) var revision = 0
    /// When the newest frame came, by the clock or by hand, in seconds since 1970.
    private(set) var shownAt = 0.0
    /// The tape's position while it is held, or when it last began to play, in seconds of the tape.
    private var held: Double
    private var playingSince = 0.0
    /// The lead in seconds of real time before play.
    private let lead: Double

    /// - Parameter lead: seconds from now to the start of play.
    init(tape: LoadedTape, tapeID: String, speed: Double, lead: Double, now: Double) {
        self.tape = tape
        self.tapeID = tapeID
        self.speed = speed
        self.lead = lead
        held = -lead * speed
        clock = TapeClock(startsAt: Int(now + lead), speed: speed)
    }

    /// The frame that the provider shows. Before the first, a fixture of the schedule looks like the first.
    var frameIndex: Int { max(cursor - 1, 0) }

    /// Whether `/livescores` has the match.
    var isListed: Bool { cursor > 0 && tape.frame(frameIndex).isListed }
    var isOver: Bool { cursor == tape.frames.count }

    /// Moves the cursor to the frame of this time.
    mutating func advance(to now: Double) {
        guard isPlaying else { return }
        let position = position(at: now)
        let before = cursor
        while cursor < tape.frames.count, Double(tape.frame(cursor).offset) <= position { cursor += 1 }
        if cursor > before {
            // The frame may have been due before this call. A frame that was due before the tape ran came when it began
            // to run.
            let due = now - (position - Double(tape.frame(cursor - 1).offset)) / speed
            shownAt = max(due, playingSince, shownAt)
        }
        if isOver { hold(at: position) }
    }

    mutating func play(at now: Double) {
        guard !isPlaying, !isOver else { return }
        // The announced start moves as long as the tape has not begun.
        if cursor <= tape.playIndex, held <= 0 { clock.startsAt = Int(now - held / speed) }
        start(at: now)
        advance(to: now)
    }

    mutating func pause(at now: Double) {
        guard isPlaying else { return }
        advance(to: now)
        hold(at: position(at: now))
    }

    /// Shows the next frame, if there is one.
    mutating func step(at now: Double) {
        advance(to: now)
        if !isOver { show(cursor, at: now) }
    }

    /// Shows this frame next, forwards or backwards.
    mutating func seek(to index: Int, at now: Double) {
        advance(to: now)
        if index < cursor {
            // Frames before play may lie a day before it; winding back waits no longer for play than the start did.
            held = max(Double(tape.frame(index).offset), -lead * speed)
            playingSince = now
        }
        show(index, at: now)
    }

    mutating func change(speed: Double, at now: Double) {
        advance(to: now)
        if isPlaying { held = position(at: now) }
        // The remaining time before play keeps its length in real time.
        if held < 0 { held = held / self.speed * speed }
        self.speed = speed
        if isPlaying { start(at: now) }
        revision += 1
    }

    private func position(at now: Double) -> Double { held + max(now - playingSince, 0) * speed }

    private mutating func show(_ index: Int, at now: Double) {
        cursor = index + 1
        shownAt = now
        let isRunning = isPlaying
        // The frames of the lead lie far before play, and showing one early does not wind the tape back.
        held = max(isRunning ? position(at: now) : held, Double(tape.frame(index).offset))
        if isRunning, index >= tape.playIndex { held = Double(tape.frame(index).offset) }
        clock.reach(held, at: now, speed: speed)
        playingSince = now
        revision += 1
        if isOver { isPlaying = false }
    }

    private mutating func start(at now: Double) {
        isPlaying = true
        playingSince = now
        clock.reach(held, at: now, speed: speed)
        revision += 1
    }

    private mutating func hold(at position: Double) {
        held = position
        isPlaying = false
        revision += 1
    }
}
