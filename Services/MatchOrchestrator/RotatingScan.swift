/// The position of a scan over many rows that continues in the next pass.
///
/// While rows are missing something, a pass scans all of them. After a whole scan without a finding each pass scans a
/// part, so that its cost does not grow with the rows.
struct RotatingScan<Place> {
    /// The last row that was scanned; nil if the next scan begins with the first row.
    private(set) var place: Place?
    /// Whether the last whole scan found nothing.
    private(set) var isQuiet = false
    private var hasFound = false

    /// - Parameters:
    ///   - last: the last row that was scanned; nil if there are no more.
    ///   - found: whether something was missing.
    mutating func scanned(to last: Place?, found: Bool) {
        if found, isQuiet { return scanAll() }
        hasFound = hasFound || found
        if last == nil {
            isQuiet = !hasFound
            hasFound = false
        }
        place = last
    }

    /// Makes the next pass scan all rows, because something may be missing now.
    mutating func scanAll() { self = RotatingScan() }
}
