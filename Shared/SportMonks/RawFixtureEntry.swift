/// An element of a list of fixtures: a fixture, or why it is none.
enum RawFixtureEntry: Decodable {
    case fixture(RawFixture)
    case broken(AnswerProblem)

    init(from decoder: any Decoder) throws {
        do {
            self = .fixture(try RawFixture(from: decoder))
        } catch let broken as BrokenFixture {
            self = .broken(AnswerProblem(fixtureID: broken.id, text: "fixture left out: \(broken.reason)"))
        } catch let problem as RowProblem {
            self = .broken(AnswerProblem(fixtureID: nil, text: "fixture left out: \(problem.description)"))
        } catch {
            self = .broken(AnswerProblem(fixtureID: nil, text: "fixture left out: not an object"))
        }
    }
}
