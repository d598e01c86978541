/// A fixture that cannot be used, with as much of its identity as could be read.
struct BrokenFixture: Error {
    var id: Int64?
    var reason: String

    init(id: Int64?, _ reason: String) {
        self.id = id
        self.reason = reason
    }
}
