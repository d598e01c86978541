/// The provider's stored state at a moment: the first steps of the script, some of them with edits.
struct TapeView: Sendable {
    /// The number of steps that are stored, from the first.
    var steps = 0
    /// The edits in ascending order of their steps.
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

/// A wrong delivery as the scorer typed it, which will be corrected.
struct TapeEdit: Sendable {
    /// The step that the delivery replaces, or before which it stands.
    var step: Int
    /// Whether it is a ball of its own before that step, which will be deleted.
    var isPhantom: Bool
    var delivery: TapeDelivery
    /// When it was typed, in seconds of the tape.
    var postedAt: Int
}
