/// An element of a list of fixtures: a fixture, or the reason why it is none.
enum RawFixtureEntry: Sendable {
    case fixture(RawFixture)
    case broken(AnswerProblem)

    static let notAnObject = RawFixtureEntry.broken(
        AnswerProblem(fixtureID: nil, text: "fixture left out: not an object"))

    init(_ value: JSONValue) { self.init(value, isScheduled: false) }

    /// - Parameter isScheduled: as in `RawFixture`.
    private init(_ value: JSONValue, isScheduled: Bool) {
        guard value.isObject else {
            self = .notAnObject
            return
        }
        do throws(BrokenFixture) {
            self = .fixture(try RawFixture(value, isScheduled: isScheduled))
        } catch {
            self = .broken(AnswerProblem(fixtureID: error.id, text: "fixture left out: \(error.reason)"))
        }
    }

    /// The most fixtures read: a day has some fifty matches, a page of the schedule a hundred.
    static let listMax = 1_000

    /// The elements of `data`; nil when it is no list.
    static func list(_ data: JSONValue) -> [RawFixtureEntry]? {
        data.isArray ? data.elements().prefix(listMax).map { RawFixtureEntry($0) } : nil
    }

    /// The elements of `data` when it is a part of the schedule, where a side may be open; nil when it is no list.
    static func schedule(_ data: JSONValue) -> [RawFixtureEntry]? {
        data.isArray ? data.elements().prefix(listMax).map(scheduled) : nil
    }

    /// A fixture of the schedule.
    static func scheduled(_ value: JSONValue) -> RawFixtureEntry { RawFixtureEntry(value, isScheduled: true) }
}
