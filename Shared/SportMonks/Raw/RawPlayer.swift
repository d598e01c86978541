/// A player object as embedded in balls, rows and line-ups.
struct RawPlayer: ProviderRow {
    var slim: SlimPlayer

    init(_ row: JSONValue) throws(RowProblem) {
        let id = try row.required("id")
        let first = row.text("firstname")
        let last = row.text("lastname")
        guard let full = row.text("fullname") ?? joined(first, last) else { throw RowProblem("player without a name") }
        slim = SlimPlayer(
            id: id, fullName: full, lastName: last ?? full.split(separator: " ").last.map(String.init) ?? full)
    }
}

private func joined(_ first: String?, _ last: String?) -> String? {
    let parts = [first, last].compactMap { $0 }
    return parts.isEmpty ? nil : parts.joined(separator: " ")
}
