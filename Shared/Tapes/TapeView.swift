/// What the provider has stored at a moment: steps of the script, some of them not as they really were.
struct TapeView: Sendable {
    /// Steps that are there, from the first.
    var steps = 0
    /// By their steps, ascending.
    var edits: [TapeEdit] = []
    /// When the scorer last changed something, in seconds of the tape.
    var changedAt = 0
}

extension TapeView: Equatable {
    static func == (one: TapeView, other: TapeView) -> Bool {
        one.steps == other.steps && one.changedAt == other.changedAt
            && one.edits.elementsEqual(other.edits) {
                $0.step == $1.step && $0.postedAt == $1.postedAt && $0.isPhantom == $1.isPhantom
            }
    }
}

/// A delivery that the scorer has typed, and that will be put right.
struct TapeEdit: Sendable {
    /// The step in whose place it is there, or before which it is.
    var step: Int
    /// A ball of its own before that step, which will be deleted.
    var isPhantom: Bool
    var delivery: TapeDelivery
    /// Seconds of the tape.
    var postedAt: Int
}
