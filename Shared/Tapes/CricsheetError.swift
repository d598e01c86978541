/// Why some bytes are not a match of Cricsheet.
public struct CricsheetError: Error, CustomStringConvertible {
    public var problem: String

    public init(problem: String) { self.problem = problem }

    public var description: String { problem }
}
