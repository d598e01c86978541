/// Where the tape's clock stands against the real one: it can be sped up, held, and wound.
///
/// It is a list of moments at which a point of the tape was reached; between two of them time runs with the speed of
/// the earlier one, but never past the later one.
public struct TapeClock: Sendable, Equatable {
    private struct Anchor: Sendable, Equatable {
        var offset: Double
        var time: Double
        var speed: Double
    }

    /// `starting_at`: when play is announced to start, in seconds since 1970.
    public var startsAt: Int
    private var anchors: [Anchor]

    /// - Parameters:
    ///   - startsAt: when play starts (offset 0), in seconds since 1970.
    ///   - speed: seconds of the tape per second.
    public init(startsAt: Int, speed: Double = 1) {
        self.startsAt = startsAt
        anchors = [Anchor(offset: 0, time: Double(startsAt), speed: speed)]
    }

    /// From now on, that point of the tape was reached at `time`; what lies behind it on the tape is unknown again.
    public mutating func reach(_ offset: Double, at time: Double, speed: Double) {
        anchors.removeAll { $0.offset >= offset }
        anchors.append(Anchor(offset: offset, time: time, speed: speed))
    }

    /// When a point of the tape was or will be reached, in seconds since 1970.
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
    /// The first index whose element satisfies the predicate, in an array where all that do come last.
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
