/// The reason why a row of an answer cannot be used, in words for a log.
struct RowProblem: Error, CustomStringConvertible {
    static let notAnObject = RowProblem("not an object")

    let description: String

    init(_ description: String) { self.description = description }
}
