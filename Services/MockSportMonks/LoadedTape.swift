import Tapes

/// A tape that can be played: a converted match, with all or some of its frames, or a recorded match.
struct LoadedTape: Sendable {
    struct Frame: Sendable {
        /// Seconds of the tape's clock after the start of play.
        var offset: Int
        var label: String
        var status: String
        /// Whether `/livescores` has the match.
        var isListed: Bool
        /// The frame's index in its source.
        var source: Int
    }

    enum Source: Sendable {
        case converted(Tape)
        case recorded(RecordedTape)
    }

    /// The fixture id under which the tape plays.
    let id: Int64
    let title: String
    let variant: TapeVariant
    let seed: UInt64
    let source: Source
    let frames: [Frame]
    let leagueID: Int64
    let seasonID: Int64
    let homeTeamID: Int64
    let awayTeamID: Int64

    /// - Parameter ballsPerFrame: n, when only every n-th ball has a frame.
    init(_ tape: Tape, ballsPerFrame: Int = 1) {
        id = tape.id
        title = tape.title
        variant = tape.variant
        seed = tape.seed
        source = .converted(tape)
        frames = tape.frames(ballsPerFrame: ballsPerFrame).map { index in
            let frame = tape.frame(index)
            return Frame(
                offset: frame.offset, label: frame.label, status: frame.status, isListed: frame.isListed,
                source: index)
        }
        leagueID = tape.leagueID
        seasonID = tape.seasonID
        homeTeamID = tape.homeTeamID
        awayTeamID = tape.awayTeamID
    }

    init(_ tape: RecordedTape, id: Int64) {
        self.id = id
        title = tape.title
        variant = .clean
        seed = 0
        source = .recorded(tape)
        frames = tape.frames
        leagueID = tape.leagueID
        seasonID = tape.seasonID
        homeTeamID = tape.homeTeamID
        awayTeamID = tape.awayTeamID
    }

    func frame(_ index: Int) -> Frame { frames[index] }

    /// The frame with which play begins.
    var playIndex: Int { frames.firstIndex { $0.offset >= 0 } ?? 0 }

    /// The index of the frame with this label, as `Tape.position(of:)` finds it. Where only some frames play, it is the
    /// first from there on.
    func position(of label: String) -> Int? {
        switch source {
        case .converted(let tape):
            return tape.position(of: label).flatMap { index in frames.firstIndex { $0.source >= index } }
        case .recorded:
            return frames.firstIndex { $0.label == label } ?? frames.lastIndex { $0.label.hasPrefix(label + " ") }
        }
    }
}
