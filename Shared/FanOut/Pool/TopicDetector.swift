/// Tells tokens of other apps from a topic of ours that is wrong, by the answers `DeviceTokenNotForTopic` of one host.
///
/// Anybody can register a token of another app, and a beta build with a bundle id of its own does, but no user can have a
/// token accepted that is not for our topic. So only proven tokens, of three accounts and without an acceptance between,
/// say that the topic is wrong. A token that was never proven is of another app when it is refused, another token is
/// accepted under the same topic, and it is refused again; unless more accounts have such tokens than have accepted
/// ones: where the topic is that of a beta build, which some phones have, the app's own tokens are kept.
package struct TopicDetector {
    package enum Finding: Equatable, Sendable {
        /// The answer proves nothing: the token waits.
        case nothing
        /// The token is of another app.
        case otherApp
        /// The topic is wrong.
        case wrongTopic
    }

    /// The accounts whose proven tokens say that the topic is wrong.
    package static let accounts = 3
    /// The most refused tokens that are remembered. When there are more all are forgotten, which costs APNs one more
    /// push to each.
    private static let tokensMax = 10_000
    /// The most accounts with accepted tokens that are remembered. One account more is remembered of those with refused
    /// tokens: beside that many no token is of another app.
    private static let acceptedAccountsMax = 1_000
    /// The bounds of the wait of a start or of a push to an app, in seconds.
    private static let waits = 60...900

    /// When a push was last accepted under each topic, by `MonotonicTime`.
    private var acceptedAt: [PushTopic: Int64] = [:]
    /// The first refusal since the last acceptance; nil when there was none.
    private var refusedAt: Int64?
    /// The accounts whose proven tokens were refused since the last acceptance.
    private var proven: Set<UInt64> = []
    /// When tokens that were never proven were first refused.
    private var tokens: [Int: Int64] = [:]
    /// The accounts with accepted tokens, and those whose tokens were refused and never proven.
    private var acceptedAccounts: Set<UInt64> = []
    private var refusedAccounts: Set<UInt64> = []
    /// The accounts, up to `accounts` of them, whose tokens were refused before any was accepted.
    package private(set) var untestedAccounts: Set<UInt64> = []

    package init() {}

    /// Whether a push was ever accepted here.
    package var hasAccepted: Bool { !acceptedAt.isEmpty }

    /// Notes an accepted push.
    /// - Parameter account: a hash of the user who has the token; nil for a channel.
    package mutating func accepted(_ topic: PushTopic, of account: UInt64?, now: Int64) {
        acceptedAt[topic] = now
        if let account, acceptedAccounts.count < Self.acceptedAccountsMax { acceptedAccounts.insert(account) }
        if !untestedAccounts.isEmpty { untestedAccounts = [] }
        guard refusedAt != nil else { return }
        refusedAt = nil
        proven.removeAll(keepingCapacity: true)
    }

    /// Notes that a token was refused as not for our topic.
    package mutating func refused(_ target: PushTarget, _ topic: PushTopic, now: Int64) -> Finding {
        if refusedAt == nil { refusedAt = now }
        noteRefusal(of: target)
        if target.isProven {
            proven.insert(target.account)
            return proven.count >= Self.accounts ? .wrongTopic : .nothing
        }
        if refusedAccounts.count <= Self.acceptedAccountsMax { refusedAccounts.insert(target.account) }
        guard let first = tokens[target.token] else {
            if tokens.count >= Self.tokensMax { tokens.removeAll(keepingCapacity: true) }
            tokens[target.token] = now
            return .nothing
        }
        guard let accepted = acceptedAt[topic], accepted > first, refusedAccounts.count <= acceptedAccounts.count
        else { return .nothing }
        tokens[target.token] = nil
        return .otherApp
    }

    /// Notes that a token was refused, as not for our topic or as bad.
    package mutating func noteRefusal(of target: PushTarget) {
        if !hasAccepted, untestedAccounts.count < Self.accounts { untestedAccounts.insert(target.account) }
    }

    /// The seconds that a refused start or push to an app waits: as long again as nothing was accepted meanwhile, so that
    /// a million phones cost APNs little while the topic is wrong.
    package func wait(now: Int64) -> Int {
        let passed = refusedAt.map { (now - $0) / 1_000_000_000 } ?? 0
        return min(max(Int(passed), Self.waits.lowerBound), Self.waits.upperBound)
    }
}
