/// A row whose push may ask whether a stopped host accepts pushes again.
struct ProbeRow {
    struct Place {
        /// The number of its cohort.
        var cohort: Int
        var slot: Int

        /// Returns the first slot of a cohort that comes after this place; `slots` if there is none.
        func nextSlot(of other: any Cohort) -> Int {
            if other.number == cohort { return min(slot + 1, other.slots) }
            return other.number > cohort ? 0 : other.slots
        }
    }

    var cohort: any Cohort
    var slot: Int
    /// The answer speaks for the host.
    var isProven: Bool

    var place: Place { Place(cohort: cohort.number, slot: slot) }
}
