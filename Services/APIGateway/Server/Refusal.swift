/// The reasons for which the server refuses or closes a connection. The raw values are labels of a metric.
enum Refusal: String, Error, CaseIterable {
    /// The decoder cannot read the request; the answer is a bare 400.
    case malformed
    /// The rest of a request does not arrive in time, or the client does not read its answer.
    case slow
    /// A body does not end.
    case endless
    case connections
    case connectionsOfClient = "connections-of-client"
}
