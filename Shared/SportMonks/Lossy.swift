/// A row of a list, or why it could not be read: one broken row must not spoil the list.
enum Lossy<Value: Decodable>: Decodable {
    case value(Value)
    case broken(String)

    init(from decoder: any Decoder) throws {
        do {
            self = .value(try Value(from: decoder))
        } catch let problem as RowProblem {
            self = .broken(problem.description)
        } catch {
            self = .broken("not an object")
        }
    }

    var value: Value? {
        if case .value(let value) = self { value } else { nil }
    }

    var problem: String? {
        if case .broken(let problem) = self { problem } else { nil }
    }
}
