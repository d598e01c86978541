/// Faults of replies on their way: missed, repeated, late or torn.
extension TapeVariation {
    // MARK: Batches and gaps

    /// Makes some polls see several balls and others none.
    mutating func batch(upTo most: Int) {
        var all: [TapeFrame] = []
        var index = 0
        while index < frames.count {
            let size = random.int(in: 1...most)
            var last = index
            while last - index + 1 < size, last + 1 < frames.count, isNextBall(last) { last += 1 }
            if last > index, random.oneIn(2) { enterTogether(index...last) }
            all.append(frames[last])
            let next = last + 1 < frames.count ? frames[last + 1].offset : 0
            if frames[last].isRightBall, frames[last].offset + 15 < next, random.oneIn(3) {
                all.append(frames[last].copy(at: frames[last].offset + 15, .repeated))
            }
            index = last + 1
        }
        frames = all
    }

    /// Whether both frames are right, and the later one has one ball more.
    private func isNextBall(_ index: Int) -> Bool {
        frames[index].isRightBall && frames[index + 1].isRightBall
            && frames[index + 1].view.steps == frames[index].view.steps + 1
    }

    /// Makes the balls of these frames appear as typed just before the last of them.
    private mutating func enterTogether(_ batch: ClosedRange<Int>) {
        let end = frames[batch.upperBound].offset
        for index in batch {
            let step = frames[index].view.steps - 1
            stepOffsets[step] = max(stepOffsets[step], end - 2 * (batch.upperBound - index))
        }
    }

    mutating func leaveGaps(windows: ClosedRange<Int>, mayLoseMiddle: Bool) {
        let balls = frames.indices.filter { frames[$0].isRightBall }
        guard balls.count > 12 else { return }
        var lost: [Range<Int>] = []
        /// The frames after one right ball up to another, by the numbers of the balls; the last frame stays.
        func window(_ first: Int, _ count: Int) -> Range<Int> {
            let start = min(max(first, 2), balls.count - 3)
            return balls[start]..<balls[min(start + count, balls.count - 2)]
        }
        if mayLoseMiddle, random.oneIn(3) {
            lost.append(window(balls.count / 5, balls.count * 13 / 20))
        } else {
            for _ in 0..<random.int(in: windows) {
                let count = random.int(in: min(12, balls.count / 3)...min(36, balls.count / 2))
                lost.append(window(random.int(in: 0...balls.count - 1), count))
            }
            let changes = balls.indices.dropFirst().filter { innings(balls[$0]) != innings(balls[$0 - 1]) }
            if let change = random.pick(Array(changes)), !random.oneIn(6) {
                let before = random.int(in: 6...20)
                lost.append(window(change - before, before + random.int(in: 3...12)))
            }
        }
        frames = frames.indices.filter { index in !lost.contains { $0.contains(index) } }.map { frames[$0] }
    }

    /// The innings of the frame's newest ball.
    private func innings(_ index: Int) -> Int? {
        if case .ball(let innings, _, _, _) = frames[index].moment { innings } else { nil }
    }

    // MARK: Repeated and older frames

    mutating func repeatFrames(oneIn rarity: Int) {
        // A row that was rewritten has no older date afterwards.
        var touchedAt = Int.min
        var all: [TapeFrame] = []
        for index in frames.indices {
            frames[index].touchedAt = max(frames[index].touchedAt, touchedAt)
            all.append(frames[index])
            guard index >= 2, index + 1 < frames.count, random.oneIn(rarity) else { continue }
            for time in 1...random.int(in: 1...4) {
                let offset = frames[index].offset + 5 * time
                guard offset < frames[index + 1].offset else { break }
                var copy = frames[index].copy(at: offset, .repeated)
                if random.oneIn(2), copy.figures.steps > 0 { touchedAt = offset }
                copy.touchedAt = max(copy.touchedAt, touchedAt)
                all.append(copy)
            }
        }
        frames = all
    }

    mutating func showStale(every apart: ClosedRange<Int>) {
        var untilNext = random.int(in: apart)
        insert { variation, index in
            untilNext -= 1
            let back = variation.random.int(in: 1...3)
            let frames = variation.frames
            guard untilNext <= 0, index >= 2 + back, frames[index].isListed else { return [] }
            untilNext = variation.random.int(in: apart)
            let now = frames[index].offset
            return [frames[index - back].copy(at: now + 2, .stale), frames[index].copy(at: now + 4, .repeated)]
        }
    }

    // MARK: Torn frames and flaps

    mutating func tear(every apart: ClosedRange<Int>) {
        var untilNext = random.int(in: apart)
        var kind = random.int(in: 0...3)
        var all: [TapeFrame] = []
        for index in frames.indices {
            var whole = frames[index]
            if let before = all.last, canTear(index, before) {
                untilNext -= 1
                if untilNext <= 0 {
                    untilNext = random.int(in: apart)
                    kind = (kind + 1) % 4
                    all.append(torn(whole, before, kind))
                    whole.offset += 5
                }
            }
            all.append(whole)
        }
        frames = all
    }

    /// Whether the frame before shows the same innings with something else in it, and there is time between the two.
    private func canTear(_ index: Int, _ before: TapeFrame) -> Bool {
        let whole = frames[index]
        return whole.isRightBall && !before.isTorn && before.view != whole.view && before.status == whole.status
            && index + 1 < frames.count && whole.offset + 5 < frames[index + 1].offset
    }

    private mutating func torn(_ whole: TapeFrame, _ before: TapeFrame, _ kind: Int) -> TapeFrame {
        var torn = whole.copy(at: whole.offset, .torn)
        switch kind {
        case 0:
            torn.figures = before.view
            torn.totals = before.view
        case 1: torn.balls = before.view
        case 2:
            torn.figures = before.view
            if random.oneIn(2) { torn.balls = before.view }
        default:
            torn.totals = before.view
            if random.oneIn(2) { torn.balls = before.view }
        }
        return torn
    }

    mutating func flap(every apart: ClosedRange<Int>) {
        var untilNext = random.int(in: 5...15)
        var words = ["", "Drinks Break", "Int."]
        for place in [2, 1] { words.swapAt(place, random.int(in: 0...place)) }
        insert { variation, index in
            let frame = variation.frames[index]
            guard frame.isRightBall else { return [] }
            untilNext -= 1
            guard untilNext <= 0 else { return [] }
            untilNext = variation.random.int(in: apart)
            var other = frame.copy(at: frame.offset + 7, .flap)
            other.status = words.popLast() ?? (variation.random.oneIn(3) ? "Drinks Break" : "Int.")
            // Otherwise the next ball brings the status back.
            let isBack = variation.random.oneIn(2)
            return isBack ? [other, frame.copy(at: frame.offset + 17, .repeated)] : [other]
        }
    }

    // MARK: The end

    /// Puts the wrong results into the four minutes after the first `Finished`.
    mutating func delayResult() {
        guard let end = frames.firstIndex(where: { $0.result == .known }) else { return }
        var nothing = frames[end].copy(at: frames[end].offset, .early)
        nothing.result = .unknown
        nothing.note = nil
        var all = [nothing]
        var now = nothing.offset + random.int(in: 20...90)
        if hasWinner {
            var wrong = nothing
            wrong.offset = now
            wrong.result = .wrong
            all.append(wrong)
            now += random.int(in: 20...90)
        }
        frames[end].offset = now
        frames.insert(contentsOf: all, at: end)
    }
}
