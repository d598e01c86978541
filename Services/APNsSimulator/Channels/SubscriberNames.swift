/// The names of all subscribers so far, by number. Names are never removed, because the log refers to them.
struct SubscriberNames: Sendable {
    static let namesMax = 1_000_000
    static let bytesMax = 400

    private var names: [String] = []
    private var numbers: [String: UInt32] = [:]

    subscript(number: UInt32) -> String { names[Int(number)] }

    func number(of name: String) -> UInt32? { numbers[name.lowercased()] }

    /// Returns the name's number, a new one for a new name; nil when there are too many.
    mutating func add(_ name: String) -> UInt32? {
        let name = name.lowercased()
        if let known = numbers[name] { return known }
        guard names.count < Self.namesMax else { return nil }
        let number = UInt32(names.count)
        names.append(name)
        numbers[name] = number
        return number
    }
}
