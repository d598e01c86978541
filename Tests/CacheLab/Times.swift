/// What some repetitions of one thing took.
struct Times {
    private var milliseconds: [Double] = []

    mutating func add(_ duration: Duration, per count: Int = 1) {
        milliseconds.append(duration / .milliseconds(1) / Double(count))
    }

    func percentile(_ percent: Int) -> Double {
        let sorted = milliseconds.sorted()
        return sorted.isEmpty ? 0 : sorted[min(sorted.count - 1, sorted.count * percent / 100)]
    }

    var json: String { #"{"p50Ms":\#(Self.rounded(percentile(50))),"p99Ms":\#(Self.rounded(percentile(99)))}"# }

    /// Of the medians.
    static func ratio(_ ours: Times, _ reference: Times) -> Double {
        let middle = reference.percentile(50)
        return middle > 0 ? rounded(ours.percentile(50) / middle) : .greatestFiniteMagnitude
    }

    /// Four digits that mean something.
    fileprivate static func rounded(_ number: Double) -> Double {
        var scale = 1.0
        while number > 0, number * scale < 1_000, scale < 1e9 { scale *= 10 }
        return (number * scale).rounded() / scale
    }
}

/// A layer and its reference, measured in turns.
struct Compared {
    var ours = Times()
    var reference = Times()

    var ratio: Double { Times.ratio(ours, reference) }

    var json: String {
        #"{"p50Ms":\#(Times.rounded(ours.percentile(50))),"p99Ms":\#(Times.rounded(ours.percentile(99))),"#
            + #""referenceMs":\#(Times.rounded(reference.percentile(50))),"ratio":\#(ratio)}"#
    }
}
