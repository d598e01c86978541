/// Why the server closes a connection, or refuses one. The raw values are labels of a metric.
enum Refusal: String, Error, CaseIterable {
    /// The decoder cannot read it; the answer is a bare 400.
    case malformed
    /// The rest of a request does not come, or its answer is not taken.
    case slow
    case connections
    case connectionsOfClient = "connections-of-client"
}
