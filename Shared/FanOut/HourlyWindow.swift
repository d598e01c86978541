/// At most so many events within any hour.
struct HourlyWindow {
    /// The events of the last hour, oldest first, in seconds since 1970.
    private var times: [Int] = []

    /// Notes an event if there is room for it.
    /// - Parameter now: seconds since 1970.
    /// - Returns: whether there is.
    mutating func take(of perHour: Int, now: Int) -> Bool {
        times.removeAll { now - $0 >= 3_600 }
        guard times.count < perHour else { return false }
        times.append(now)
        return true
    }
}
