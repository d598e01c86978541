import HTTP2

/// Rows that wait for a time, in ticks of `interval`.
struct DelayedRows {
    typealias Row = (cohort: any Cohort, slot: Int)

    static let interval = Duration.milliseconds(50)

    private var rows: [Int64: [Row]] = [:]
    private var lastTick: Int64 = 0

    /// - Parameter now: by `MonotonicTime`, as all times here.
    init(now: Int64) { lastTick = Self.tick(now) }

    mutating func add(_ cohort: any Cohort, _ slot: Int, until time: Int64) {
        rows[Self.tick(time) + 1, default: []].append((cohort, slot))
    }

    /// Removes and returns the rows whose time has come since the last call.
    mutating func due(_ now: Int64) -> [Row] {
        let tick = Self.tick(now)
        guard tick > lastTick else { return [] }
        // After a stall there are many ticks and few entries, so the entries are searched instead.
        let due = tick - lastTick > 1_000 ? rows.keys.filter { $0 <= tick } : Array(lastTick + 1...tick)
        lastTick = tick
        return due.flatMap { rows.removeValue(forKey: $0) ?? [] }
    }

    /// Whether a row for which `isMeant` is true becomes due by `time`.
    func contains(until time: Int64, where isMeant: (Row) -> Bool) -> Bool {
        rows.contains { $0 <= Self.tick(time) && $1.contains(where: isMeant) }
    }

    private static func tick(_ time: Int64) -> Int64 { time / MonotonicTime.nanoseconds(interval) }
}
