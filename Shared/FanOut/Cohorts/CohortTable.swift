/// The cohorts of a loop by their numbers, which are part of each push's tag.
struct CohortTable {
    private var cohorts: [(any Cohort)?] = []
    private var free: [Int] = []

    subscript(number: Int) -> (any Cohort)? { cohorts[number] }
    /// All cohorts, including lost ones that wait for their last answers.
    var all: some Sequence<any Cohort> { cohorts.lazy.compactMap { $0 } }

    mutating func add<Kind: Cohort>(_ make: (_ number: Int) -> Kind) -> Kind {
        let number = free.popLast() ?? cohorts.count
        let cohort = make(number)
        if number == cohorts.count { cohorts.append(cohort) } else { cohorts[number] = cohort }
        return cohort
    }

    mutating func remove(_ cohort: any Cohort) {
        guard cohorts[cohort.number] === cohort else { return }
        cohorts[cohort.number] = nil
        free.append(cohort.number)
    }
}
