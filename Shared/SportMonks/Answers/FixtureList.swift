/// The good fixtures of a list, and the problems of the others.
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
