/// What the gateway and the orchestrator have to agree on about a deleted account.
package enum AccountErasure {
    /// Rows made within so many seconds after a deletion belong to the deleted account: requests that were under way, and
    /// gateways that had not heard of it yet.
    package static let margin = 5
}
