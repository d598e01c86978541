/// The newest deliveries, in order, at most so many.
struct DeliveryLog: Sendable {
    let linesMax: Int
    private var ring: [Delivery] = []
    /// How many there have ever been: the number of the newest.
    private(set) var newest = 0

    init(linesMax: Int) { self.linesMax = max(linesMax, 1) }

    /// The number of the oldest that is kept; `newest + 1` when there is none.
    var oldest: Int { newest - ring.count + 1 }

    mutating func append(_ delivery: (_ seq: Int) -> Delivery) {
        newest += 1
        let delivery = delivery(newest)
        if ring.count < linesMax { ring.append(delivery) } else { ring[(newest - 1) % linesMax] = delivery }
    }

    /// A reader who has seen everything up to `since` can go on: nothing after it was dropped, and it is no number of
    /// another run.
    func canContinue(after since: Int) -> Bool { since >= oldest - 1 && since <= newest }

    subscript(seq: Int) -> Delivery? {
        seq >= oldest && seq <= newest ? ring[(seq - 1) % linesMax] : nil
    }
}
