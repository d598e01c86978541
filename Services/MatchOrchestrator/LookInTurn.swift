/// Where a look at many rows goes on in the next pass.
///
/// As long as rows are missing something, a pass looks at all of them. When a whole look has found nothing, each pass
/// looks at some, one part after the other, so that a pass costs the same however many rows there are.
struct LookInTurn<Place> {
    /// The last row looked at; nil when the next look begins with the first.
    private(set) var place: Place?
    /// Whether the last whole look found nothing.
    private(set) var isQuiet = false
    private var hasFound = false

    /// - Parameters:
    ///   - last: the last row looked at; nil when there are no more.
    ///   - found: whether something was missing.
    mutating func looked(to last: Place?, found: Bool) {
        if found, isQuiet { return lookAtAll() }
        hasFound = hasFound || found
        if last == nil {
            isQuiet = !hasFound
            hasFound = false
        }
        place = last
    }

    /// Something may be missing now: the next pass looks at all rows.
    mutating func lookAtAll() { self = LookInTurn() }
}
