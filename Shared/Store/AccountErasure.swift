/// The agreement between the gateway and the orchestrator about a deleted account.
package enum AccountErasure {
    /// In seconds: rows made within this time after a deletion belong to the deleted account, because requests were in
    /// flight and gateways had not heard of it yet.
    package static let margin = 5
}
