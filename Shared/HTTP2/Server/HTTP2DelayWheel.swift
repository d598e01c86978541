/// Elements that are due at some millisecond. Its cost per millisecond does not grow with the number of elements that
/// are due later.
struct HTTP2DelayWheel<Element> {
    private static var buckets: Int { 1_024 }

    private var wheel = [[(due: Int64, element: Element)]](repeating: [], count: buckets)
    private(set) var count = 0
    /// The last millisecond that `take` has processed.
    private var looked: Int64

    init(now: Int64) { looked = now }

    /// - Parameter due: a time in milliseconds; a past time is due at once.
    mutating func add(_ element: Element, due: Int64) {
        let due = max(due, looked + 1)
        wheel[Int(due % Int64(Self.buckets))].append((due, element))
        count += 1
    }

    /// Removes and returns all elements that are due by `now`, earlier ones first.
    mutating func take(now: Int64) -> [Element] {
        var taken: [Element] = []
        // After a long pause each bucket is visited only once.
        if count > 0, now > looked {
            for millisecond in max(looked + 1, now - Int64(Self.buckets) + 1)...now {
                let bucket = Int(millisecond % Int64(Self.buckets))
                if wheel[bucket].isEmpty { continue }
                taken += wheel[bucket].lazy.filter { $0.due <= now }.map(\.element)
                wheel[bucket].removeAll { $0.due <= now }
            }
            count -= taken.count
        }
        looked = max(looked, now)
        return taken
    }
}
