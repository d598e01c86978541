/// One page of `GET /fixtures`: the schedule, as the orchestrator syncs it.
public struct FixturesPage: Sendable {
    /// The `include` that the schedule needs: names, and no balls.
    public static let include = "localteam,visitorteam,league,season,stage,venue,runs"

    public let fixtures: [SlimFixture]
    /// Fixtures and rows that were left out, each as a line for the log.
    public let problems: [AnswerProblem]
    /// The number of the page, from 1.
    public let page: Int
    /// The page to ask for next; nil on the last one.
    public let nextPage: Int?
    /// The number of all fixtures of the query; nil when the answer does not say.
    public let total: Int?

    /// - Throws: `ProviderAnswerError` when the body is empty, not JSON or without `data`.
    public init(_ bytes: [UInt8]) throws(ProviderAnswerError) {
        let answer = try ProviderAnswer.read(bytes, content: RawFixtureEntry.schedule)
        let list = FixtureList(answer.content)
        fixtures = list.fixtures
        problems = list.problems
        page = max(answer.currentPage ?? 1, 1)
        if let last = answer.lastPage {
            nextPage = page < last ? page + 1 : nil
        } else {
            nextPage = answer.hasNext ? page + 1 : nil
        }
        total = answer.total
    }

    /// Reads an answer of `GET /fixtures/{id}` as one of the schedule: without balls, and perhaps with open sides.
    /// - Throws: `ProviderAnswerError` when the body is empty, not JSON, without `data`, or its fixture is broken.
    public static func fixture(from bytes: [UInt8]) throws(ProviderAnswerError) -> SlimFixture {
        switch try ProviderAnswer.read(bytes, content: RawFixtureEntry.scheduled).content {
        case .fixture(let raw): return raw.slim
        case .broken(let problem): throw .brokenFixture(problem.text)
        }
    }
}
