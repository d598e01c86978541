/// An answer of `GET /fixtures/{id}`. It brings the end of a match that has left the live scores.
public struct FixtureAnswer: Sendable {
    public let fixture: SlimFixture
    /// Rows that were left out, each as a line for the log.
    public let problems: [AnswerProblem]

    /// - Throws: `ProviderAnswerError` when the body is empty, not JSON, without `data`, or its fixture is broken.
    public init(_ bytes: [UInt8]) throws(ProviderAnswerError) {
        switch try ProviderAnswer.read(bytes, content: RawFixtureEntry.init).content {
        case .fixture(let raw):
            fixture = raw.slim
            problems = raw.problems
        case .broken(let problem):
            throw .brokenFixture(problem.text)
        }
    }

    /// Reads the fixture alone.
    /// - Throws: `ProviderAnswerError`, as `init`.
    public static func fixture(from bytes: [UInt8]) throws(ProviderAnswerError) -> SlimFixture {
        try FixtureAnswer(bytes).fixture
    }
}
