/// The bytes are not a Cricsheet match.
public struct CricsheetError: Error, CustomStringConvertible {
    public var problem: String

    package init(problem: String) { self.problem = problem }

    public var description: String { problem }
}
