/// Turns the frames of a clean tape into those of a variant.
///
/// There are two kinds of faults. The scorer's slips (`TapeVariation+Scorer`) change what the provider stores; faults
/// of replies (`TapeVariation+Replies`) change which of it a poll sees. Frames are inserted only where there is time
/// before the next one.
struct TapeVariation {
    var frames: [TapeFrame]
    /// The deliveries, with ids that leave room for phantoms.
    var deliveries: [TapeDelivery]
    /// When each step was last typed, in seconds of the tape.
    var stepOffsets: [Int]
    let steps: [TapeStep]
    let slips: ScorerSlips
    /// Whether the match ends with a winner or a tie, so that the provider can name the wrong one.
    let hasWinner: Bool
    var random: SplitMix64
    private let variant: TapeVariant

    init(
        _ script: TapeScript, deliveries: [TapeDelivery], slips: ScorerSlips, hasWinner: Bool, variant: TapeVariant,
        seed: UInt64
    ) {
        frames = script.frames
        self.deliveries = deliveries
        stepOffsets = script.stepOffsets
        steps = script.steps
        self.slips = slips
        self.hasWinner = hasWinner
        self.variant = variant
        // The variants of one seed share no random numbers.
        random = SplitMix64(seed: seed ^ UInt64(StableHash.of(variant.rawValue)) << 32)
    }

    mutating func apply() {
        switch variant {
        case .clean: break
        case .batching: batch(upTo: 3)
        case .repeats: repeatFrames(oneIn: 3)
        case .corrections: mistype(corrections: true, deletions: false)
        case .deletions: mistype(corrections: false, deletions: true)
        case .torn: tear(every: 2...8)
        case .stale: showStale(every: 6...20)
        case .lateResult: delayResult()
        case .gaps: leaveGaps(windows: 2...4, mayLoseMiddle: true)
        case .flaps: flap(every: 12...40)
        case .storm:
            mistype(corrections: true, deletions: true)
            delayResult()
            tear(every: 5...15)
            flap(every: 25...80)
            batch(upTo: 2)
            repeatFrames(oneIn: 8)
            showStale(every: 20...60)
            leaveGaps(windows: 1...2, mayLoseMiddle: false)
        }
    }

    /// Inserts frames after each frame. Frames without time before the next one are left out.
    ///
    /// - Parameter extra: returns the frames that follow a frame, with their offsets.
    mutating func insert(_ extra: (inout TapeVariation, Int) -> [TapeFrame]) {
        var all: [TapeFrame] = []
        for index in frames.indices {
            all.append(frames[index])
            let end = index + 1 < frames.count ? frames[index + 1].offset : frames[index].offset
            for frame in extra(&self, index) where frame.offset > (all.last?.offset ?? 0) && frame.offset < end {
                all.append(frame)
            }
        }
        frames = all
    }
}

extension TapeFrame {
    /// A copy at another time with one more flaw.
    func copy(at offset: Int, _ flaw: TapeFlaw) -> TapeFrame {
        var frame = self
        frame.offset = offset
        frame.flaws.insert(flaw, at: 0)
        return frame
    }
}
