/// A row whose push may ask whether a stopped host accepts pushes again.
struct ProbeRow {
    struct Place: Comparable {
        /// The number of its cohort.
        var cohort: Int
        var slot: Int

        static func < (one: Self, other: Self) -> Bool { (one.cohort, one.slot) < (other.cohort, other.slot) }
    }

    var cohort: any Cohort
    var slot: Int
    /// The answer speaks for the host.
    var isProven: Bool

    var place: Place { Place(cohort: cohort.number, slot: slot) }
}
