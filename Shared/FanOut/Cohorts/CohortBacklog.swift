/// The rows of a cohort, counted by what each of them lacks. It is kept with each answer, so that no measurement looks
/// through the rows.
struct CohortBacklog {
    struct Version: Sendable {
        var number: Int
        var stamp: UInt32
        /// When the version was due, by `MonotonicTime`.
        var dueAt: Int64
    }

    /// The rows for which APNs has accepted the same version and none that is newer.
    private struct Rung {
        /// The stamp of the version; 0 for rows that show something older than all versions known here.
        let stamp: UInt32
        var rows = 0
        /// The first version that they lack; nil when there is none.
        var next: Version?
    }

    /// More versions than come while an answer may be awaited; older ones are merged.
    static let rungsMax = 64

    /// When the cohort became known, in seconds since 1970.
    private let since: Int
    private var rungs = [Rung(stamp: 0)]
    /// Rows for which nothing was accepted so far, by the second in which they became known.
    private var newcomers: [Int: Int] = [:]
    private var firstDueAt: Int64?
    /// Rows that wait because of what APNs said of their own tokens.
    private(set) var backingOff = 0

    /// - Parameter newest: the newest version of the match, if it has one.
    init(since: Int, newest: Version? = nil) {
        self.since = since
        if let newest { published(newest) }
    }

    /// Takes in a version that is newer than all before.
    mutating func published(_ version: Version) {
        guard let last = rungs.indices.last, version.stamp > rungs[last].stamp else { return }
        if firstDueAt == nil { firstDueAt = version.dueAt }
        rungs[last].next = version
        rungs.append(Rung(stamp: version.stamp))
        // All rows have left the oldest versions.
        while rungs.count > 2, rungs[0].rows == 0, rungs[1].rows == 0 { mergeIntoOlder(1) }
        guard rungs.count > Self.rungsMax else { return }
        mergeIntoOlder((1..<rungs.count - 1).first { rungs[$0].rows == 0 } ?? 1)
    }

    /// Has the rows at a version count as at the one before. They wait since the first that one of them lacks.
    private mutating func mergeIntoOlder(_ place: Int) {
        if rungs[place - 1].rows == 0 { rungs[place - 1].next = rungs[place].next }
        rungs[place - 1].rows += rungs[place].rows
        rungs.remove(at: place)
    }

    /// Adds a row, or takes it away, where it is by what it says now.
    /// - Parameter step: 1 or -1.
    mutating func count(_ row: CohortRow, _ step: Int) {
        guard row.flags.isDisjoint(with: [.isInfrequent, .isDraining]) else { return }
        if row.isBackingOff {
            backingOff += step
        } else if row.acceptedStamp == 0 {
            let second = max(Int(row.tokenAt), since)
            let rows = newcomers[second, default: 0] + step
            newcomers[second] = rows == 0 ? nil : rows
        } else {
            // Nearly all rows are at one of the last versions.
            var place = rungs.count - 1
            while rungs[place].stamp > row.acceptedStamp { place -= 1 }
            rungs[place].rows += step
        }
    }

    /// The rows that count.
    var rows: Int { rungs.reduce(0) { $0 + $1.rows } + newcomers.values.reduce(0, +) }

    /// Returns the number of rows that show something older than a version.
    func rows(lacking version: Int) -> Int {
        rungs.reduce(0) { sum, rung in rung.next.map { $0.number <= version } ?? false ? sum + rung.rows : sum }
    }

    /// Returns the rows that lack a version, with the seconds for which they have been known.
    /// - Parameters:
    ///   - now: by `MonotonicTime`.
    ///   - seconds: the same moment by the database's clock, in seconds since 1970.
    func waits(at now: Int64, _ seconds: Double) -> [(wait: MatchBacklog.Wait, knownFor: Double)] {
        guard let firstDueAt else { return [] }
        let behind = rungs.compactMap { rung in
            rung.next.flatMap { next in
                rung.rows == 0
                    ? nil : MatchBacklog.Wait(since: next.dueAt, version: next.number, phones: rung.rows)
            }
        }
        return behind.map { ($0, seconds - Double(since)) }
            + newcomers.map { second, rows in
                let knownFor = seconds - Double(second)
                let since = max(now - Int64(knownFor * 1e9), firstDueAt)
                return (MatchBacklog.Wait(since: since, version: nil, phones: rows), knownFor)
            }
    }
}
