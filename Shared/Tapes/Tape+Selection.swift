extension Tape {
    /// The index of the frame with this label. "S1 19.4" is the last frame with that ball as the newest and in its
    /// right form (a wide has the label of the ball that replaces it), or the first that has it among other balls,
    /// where no poll saw it alone. "Innings Break" is the first with that phase. Nil when there is no such frame.
    public func position(of label: String) -> Int? {
        let wanted = label.split(separator: " ").joined(separator: " ")
        return frames.firstIndex { $0.label == wanted } ?? frames.lastIndex { $0.label.hasPrefix(wanted + " ") }
            ?? frame(withBall: wanted)
    }

    /// The first frame without a flaw that has the ball "S1 19.4" and the balls before it.
    private func frame(withBall label: String) -> Int? {
        let step = steps.indices.last {
            guard case .delivery(let position) = steps[$0] else { return false }
            return "S\(deliveries[position].innings + 1) \(deliveries[position].label)" == label
        }
        guard let step else { return nil }
        return frames.firstIndex { $0.flaws.isEmpty && $0.view.steps > step }
    }

    /// The frames seen by a poller that sees only every n-th ball: the n-th, 2n-th and so on of an innings and its
    /// last, and every frame that is no new ball.
    ///
    /// - Parameter ballsPerFrame: n, at least 1.
    /// - Returns: indices of frames, ascending.
    public func frames(ballsPerFrame: Int) -> [Int] {
        precondition(ballsPerFrame > 0, "a frame has at least one new ball")
        let places = ballPlaces
        var newest = 0
        return frames.indices.filter { index in
            let shown = frames[index].balls.steps
            defer { newest = max(newest, shown) }
            guard shown > newest, frames[index].moment.isBall, let place = places[shown - 1] else { return true }
            return place.isLast || place.number % ballsPerFrame == 0
        }
    }

    /// The number of each step's ball in its innings, from 1; nil for other steps.
    private var ballPlaces: [(number: Int, isLast: Bool)?] {
        var number = 0
        return steps.indices.map { step in
            guard case .delivery(let position) = steps[step] else {
                if case .innings = steps[step] { number = 0 }
                return nil
            }
            number += 1
            let isLast =
                position + 1 == deliveries.count
                || deliveries[position + 1].innings != deliveries[position].innings
            return (number, isLast)
        }
    }
}
