/// Wrong deliveries, and deliveries that were never bowled.
extension TapeVariation {
    /// The faults around one delivery.
    private struct Entry {
        var phantom: TapeDelivery?
        var wrong: TapeDelivery?
        /// Whether the next ball comes before the wrong one is corrected.
        var waits = false
    }

    mutating func mistype(corrections: Bool, deletions: Bool) {
        var entries = corrections ? planCorrections() : [:]
        if deletions { planDeletions(&entries) }
        number(&entries)
        type(entries)
    }

    // MARK: Planning

    /// The step that a frame with a right ball adds; nil for other frames.
    private func step(of index: Int) -> Int? { frames[index].isRightBall ? frames[index].view.steps - 1 : nil }

    private func delivery(_ step: Int) -> TapeDelivery? {
        if case .delivery(let position) = steps[step] { deliveries[position] } else { nil }
    }

    /// The corrections by step: every third to eleventh ball and every third wicket, with the kind that was used least
    /// so far.
    private mutating func planCorrections() -> [Int: Entry] {
        var entries: [Int: Entry] = [:]
        var used: [ScorerSlip: Int] = [:]
        var untilNext = random.int(in: 3...11)
        var isFree = true
        for index in frames.indices {
            guard let step = step(of: index), let delivery = delivery(step) else { continue }
            untilNext -= 1
            let isDue = untilNext <= 0 || (delivery.wicket != nil && random.oneIn(3))
            guard isFree, isDue else {
                isFree = true
                continue
            }
            let possible = slips.possible(on: delivery)
            let least = possible.map { used[$0] ?? 0 }.min()
            guard let slip = random.pick(possible.filter { (used[$0] ?? 0) == least }) else { continue }
            used[slip, default: 0] += 1
            var entry = Entry(wrong: slips.posted(delivery, slip, &random))
            entry.waits = slip.canWait && random.oneIn(2) && isFollowed(index, delivery)
            // A ball that comes while another is wrong is itself right.
            isFree = !entry.waits
            entries[step] = entry
            untilNext = random.int(in: 3...11)
        }
        return entries
    }

    /// Whether the next frame is the next ball of the same over.
    private func isFollowed(_ index: Int, _ delivery: TapeDelivery) -> Bool {
        guard index + 1 < frames.count, let next = step(of: index + 1), let following = self.delivery(next) else {
            return false
        }
        return following.innings == delivery.innings && following.over == delivery.over
    }

    private mutating func planDeletions(_ entries: inout [Int: Entry]) {
        var untilNext = random.int(in: 5...15)
        var isWaiting = false
        for index in frames.indices {
            guard let step = step(of: index), let delivery = delivery(step) else { continue }
            untilNext -= 1
            let isBehindWaiting = isWaiting
            isWaiting = entries[step]?.waits == true
            guard untilNext <= 0, !isWaiting, !isBehindWaiting else { continue }
            entries[step, default: Entry()].phantom = slips.phantom(before: delivery, &random)
            untilNext = random.int(in: 8...22)
        }
    }

    /// Gives each phantom an id of its own; all later balls get later ids.
    private mutating func number(_ entries: inout [Int: Entry]) {
        var running = 0
        for step in steps.indices {
            guard case .delivery(let position) = steps[step] else { continue }
            if entries[step]?.phantom != nil {
                running += 1
                entries[step]?.phantom?.running = running
            }
            running += 1
            entries[step]?.wrong?.running = running
            deliveries[position].running = running
        }
    }

    // MARK: Frames

    private mutating func type(_ entries: [Int: Entry]) {
        var all: [TapeFrame] = []
        var changedAt = 0
        /// The wrong delivery that stands until after the next ball.
        var waiting: TapeEdit?
        for index in frames.indices {
            var frame = frames[index]
            if frame.view.steps > 0 { changedAt = max(changedAt, stepOffsets[frame.view.steps - 1]) }
            frame.view.changedAt = changedAt
            guard let step = step(of: index), let right = delivery(step) else {
                all.append(frame)
                continue
            }
            let entry = entries[step]
            if let phantom = entry?.phantom { all += self.phantom(phantom, before: frame, right) }
            if let edit = waiting {
                all.append(wrong(frame, edit, delivery(edit.step) ?? right))
                changedAt = frame.offset + random.int(in: 2...6)
                stepOffsets[edit.step] = changedAt
                waiting = nil
            } else if let wrong = entry?.wrong {
                let isTypedLate = entry?.waits == true
                if isTypedLate { frame.offset = frames[index + 1].offset - 4 }
                let edit = TapeEdit(step: step, isPhantom: false, delivery: wrong, postedAt: frame.offset)
                all.append(self.wrong(frame, edit, right))
                if isTypedLate {
                    waiting = edit
                    continue
                }
                changedAt = frame.offset + random.int(in: 5...10)
                stepOffsets[step] = changedAt
            } else {
                all.append(frame)
                continue
            }
            frame.offset = changedAt
            frame.view.changedAt = changedAt
            all.append(frame)
        }
        frames = all
    }

    /// The frame with a wrong delivery, its newest or the one before.
    private func wrong(_ frame: TapeFrame, _ edit: TapeEdit, _ right: TapeDelivery) -> TapeFrame {
        var wrong = frame.copy(at: frame.offset, .wrong)
        wrong.view = TapeView(steps: frame.view.steps, edits: [edit], changedAt: frame.offset)
        wrong.moment = frame.moment.with(edit.delivery, insteadOf: right)
        return wrong
    }

    /// The frames with a phantom and, unless the real ball comes with it, its removal.
    private mutating func phantom(
        _ phantom: TapeDelivery, before frame: TapeFrame, _ right: TapeDelivery
    ) -> [TapeFrame] {
        let life = random.int(in: 5...15)
        let lead = random.oneIn(2) ? life : life + random.int(in: 2...4)
        let postedAt = frame.offset - lead
        let edit = TapeEdit(step: frame.view.steps - 1, isPhantom: true, delivery: phantom, postedAt: postedAt)
        var shown = frame.copy(at: postedAt, .phantom)
        shown.view = TapeView(steps: frame.view.steps - 1, edits: [edit], changedAt: postedAt)
        shown.moment = frame.moment.with(phantom, insteadOf: right)
        guard lead > life else { return [shown] }
        var removed = frame.copy(at: postedAt + life, .removed)
        removed.view = TapeView(steps: frame.view.steps - 1, changedAt: postedAt + life)
        removed.moment = frame.moment
        return [shown, removed]
    }
}

extension TapeFrame.Moment {
    /// The moment with one delivery counted in place of another.
    fileprivate func with(_ wrong: TapeDelivery, insteadOf right: TapeDelivery) -> TapeFrame.Moment {
        guard case .ball(let innings, let label, let runs, let wickets) = self else { return self }
        func out(_ delivery: TapeDelivery) -> Int { delivery.wicket?.isOut == true ? 1 : 0 }
        return .ball(
            innings: innings, label: label, runs: runs - right.totalRuns + wrong.totalRuns,
            wickets: wickets - out(right) + out(wrong))
    }
}
