/// The accounts whose pushes had an error since the last accepted push.
///
/// Of one account one error counts as one of the host: in a quiet hour all pushes may go to the phones of one account,
/// and be refused.
struct AccountErrors {
    /// The most accounts that are remembered; errors of further ones all count.
    private static let accountsMax = 128

    private var accounts: Set<UInt64> = []

    /// Notes an error.
    /// - Parameter target: nil for a channel, which is no account's.
    /// - Returns: whether it counts as one of the host.
    mutating func note(_ target: PushTarget?) -> Bool {
        guard let target, accounts.count < Self.accountsMax else { return true }
        return accounts.insert(target.account).inserted
    }

    mutating func forget() { if !accounts.isEmpty { accounts.removeAll(keepingCapacity: true) } }
}
