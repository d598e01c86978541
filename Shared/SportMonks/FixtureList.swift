/// The good fixtures of a list, and what was wrong with the rest.
struct FixtureList {
    var fixtures: [SlimFixture] = []
    var problems: [AnswerProblem] = []

    init(_ entries: [RawFixtureEntry]) {
        for entry in entries {
            switch entry {
            case .fixture(let raw):
                fixtures.append(raw.slim)
                problems += raw.problems
            case .broken(let problem):
                problems.append(problem)
            }
        }
    }
}
