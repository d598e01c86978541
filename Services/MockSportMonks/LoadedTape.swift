import Tapes

/// A tape that can be played: a match that was converted, whole or with only some of its frames, or one that was recorded.
struct LoadedTape: Sendable {
    struct Frame: Sendable {
        /// Seconds of the tape's clock after the start of play.
        var offset: Int
        var label: String
        var status: String
        /// Whether `/livescores` has the match.
        var isListed: Bool
        /// Where it is in what it comes from.
        var source: Int
    }

    enum Source: Sendable {
        case converted(Tape)
        case recorded(RecordedTape)
    }

    /// The fixture's id under which it plays.
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

    /// - Parameter ballsPerFrame: every how manieth ball has a frame.
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

    /// The frame that a label means; see `Tape.position(of:)`. Where only some frames play, the first from there on.
    func position(of label: String) -> Int? {
        switch source {
        case .converted(let tape):
            return tape.position(of: label).flatMap { index in frames.firstIndex { $0.source >= index } }
        case .recorded:
            return frames.firstIndex { $0.label == label } ?? frames.lastIndex { $0.label.hasPrefix(label + " ") }
        }
    }
}
