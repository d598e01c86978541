/// A part of an answer that was left out because it could not be read; the rest of the answer is good.
public struct AnswerProblem: Sendable, Equatable, CustomStringConvertible {
    /// The fixture with the problem; nil when not even its id could be read.
    public var fixtureID: Int64?
    /// The problem as a line for the log: "fixture left out: no localteam_id", "ball left out: no id".
    public var text: String

    package init(fixtureID: Int64?, text: String) {
        self.fixtureID = fixtureID
        self.text = text
    }

    public var description: String { "fixture \(fixtureID.map(String.init) ?? "?"): \(text)" }
}
