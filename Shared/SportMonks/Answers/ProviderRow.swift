/// A row of a list or an included object, as it is read from an answer.
protocol ProviderRow {
    /// - Parameter row: an object.
    init(_ row: JSONValue) throws(RowProblem)
}
