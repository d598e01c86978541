/// The phones that listen to one channel. Adding, removing and finding one take the same time however many there are.
struct Listeners {
    struct Listener {
        /// The number of its name in `SubscriberNames`.
        let subscriber: UInt32
        var phone: DeviceModel
    }

    private(set) var all: [Listener] = []
    private var places: [UInt32: Int] = [:]

    var count: Int { all.count }

    /// Adds a phone. A subscriber that listens already has a new activity now, which takes the place of the old one.
    mutating func add(_ listener: Listener) {
        if let place = places[listener.subscriber] {
            all[place] = listener
        } else {
            places[listener.subscriber] = all.count
            all.append(listener)
        }
    }

    /// Removes a phone.
    ///
    /// - Returns: whether it listened.
    mutating func remove(_ subscriber: UInt32) -> Bool {
        guard let place = places.removeValue(forKey: subscriber) else { return false }
        let last = all.removeLast()
        if last.subscriber != subscriber {
            all[place] = last
            places[last.subscriber] = place
        }
        return true
    }

    mutating func forEach(_ body: (inout Listener) -> Void) {
        for index in all.indices { body(&all[index]) }
    }
}
