/// Maps the tape's time to real time. The clock can be sped up, held and wound forward.
///
/// The clock is a list of moments at which a point of the tape was reached. Between two of them time runs with the
/// speed of the earlier one, but never past the later one.
public struct TapeClock: Sendable, Equatable {
    private struct Anchor: Sendable, Equatable {
        var offset: Double
        var time: Double
        var speed: Double
    }

    /// The announced start of play (`starting_at`), in seconds since 1970.
    public var startsAt: Int
    private var anchors: [Anchor]

    /// - Parameters:
    ///   - startsAt: the start of play (offset 0), in seconds since 1970.
    ///   - speed: seconds of the tape per second.
    public init(startsAt: Int, speed: Double = 1) {
        self.startsAt = startsAt
        anchors = [Anchor(offset: 0, time: Double(startsAt), speed: speed)]
    }

    /// Records that the tape reached `offset` at `time`. Later points of the tape become unknown again.
    public mutating func reach(_ offset: Double, at time: Double, speed: Double) {
        anchors.removeAll { $0.offset >= offset }
        anchors.append(Anchor(offset: offset, time: time, speed: speed))
    }

    /// The time at which a point of the tape was or will be reached, in seconds since 1970.
    public func time(of offset: Int) -> Int {
        let point = Double(offset)
        let next = anchors.partitioningIndex { $0.offset > point }
        let anchor = anchors[max(next - 1, 0)]
        var time = anchor.time + (point - anchor.offset) / anchor.speed
        if next < anchors.count, next > 0 { time = min(time, anchors[next].time) }
        return Int(time.rounded(.down))
    }
}

extension Array {
    /// The first index whose element satisfies the predicate, in an array where all elements that do come last.
    func partitioningIndex(where belongsInSecondPartition: (Element) -> Bool) -> Int {
        var low = 0
        var high = count
        while low < high {
            let middle = (low + high) / 2
            if belongsInSecondPartition(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
