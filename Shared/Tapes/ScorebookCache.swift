/// Finds the figures of any view of a tape. Frames in order cost one step each; going back starts at the nearest mark.
struct ScorebookCache: Sendable {
    /// Steps between two marks: a Test has some forty marks of ten kilobytes.
    private static let marksApart = 64

    private let steps: [TapeStep]
    private let deliveries: [TapeDelivery]
    private let offsets: [Int]
    /// Figures after some number of unedited steps: every `marksApart` steps, and the latest.
    private var marks: [Scorebook]
    private var current: (steps: Int, book: Scorebook)

    init(_ tape: Tape) {
        steps = tape.steps
        deliveries = tape.deliveries
        offsets = tape.stepOffsets
        let empty = Scorebook(rowIDs: tape.rowIDs, ballsPerOver: tape.match.info.balls_per_over ?? 6)
        marks = [empty]
        current = (0, empty)
    }

    mutating func figures(of view: TapeView) -> Scorebook {
        let edits = view.edits.filter { $0.step < view.steps || $0.isPhantom }
        let plain = min(edits.first?.step ?? view.steps, view.steps)
        advance(to: plain)
        var book = current.book
        for step in plain..<max(view.steps, plain) {
            for edit in edits where edit.step == step && edit.isPhantom { book.apply(edit) }
            if let edit = edits.first(where: { $0.step == step && !$0.isPhantom }) {
                book.apply(edit)
            } else {
                book.apply(steps[step], deliveries, at: offsets[step])
            }
        }
        for edit in edits where edit.step >= view.steps { book.apply(edit) }
        book.touch(at: view.changedAt)
        return book
    }

    private mutating func advance(to wanted: Int) {
        if wanted < current.steps {
            let mark = min(wanted / Self.marksApart, marks.count - 1)
            current = (mark * Self.marksApart, marks[mark])
        }
        while current.steps < wanted {
            current.book.apply(steps[current.steps], deliveries, at: offsets[current.steps])
            current.steps += 1
            if current.steps == marks.count * Self.marksApart { marks.append(current.book) }
        }
    }
}
