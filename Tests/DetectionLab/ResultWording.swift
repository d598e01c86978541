/// Whether a text that is shown tells the result that the data has.
enum ResultWording {
    /// - Parameters:
    ///   - shown: "X won by 5 wickets (With 10 balls remaining)".
    ///   - data: how it has to begin, and the method that has to be in it. After that only a remark may follow (in
    ///   brackets,
    ///     or on the balls left), or the rest of the one that is open.
    static func agrees(_ shown: String, with data: OracleResults.Summary) -> Bool {
        guard shown.hasPrefix(data.result), data.method.map({ shown.contains($0) }) ?? true else { return false }
        let rest = shown.dropFirst(data.result.count)
        if data.result.contains("(") { return rest.hasSuffix(")") }
        return rest.isEmpty || rest.hasPrefix(" with ") || rest.hasPrefix(" (") && rest.hasSuffix(")")
    }
}
