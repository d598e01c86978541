import FoundationEssentials
import NIOConcurrencyHelpers

/// The last call of this process to each of the systems outside, with its outcome: what an operator asks first when
/// nothing arrives.
public final class LastCalls: Sendable {
    public enum Peer: String, CaseIterable, Sendable {
        case apns
        /// APNs' management of channels.
        case management
        case provider
        /// The key set of the user pool.
        case keys
    }

    public struct Call: Codable, Hashable, Sendable {
        /// A status, or a word.
        public var outcome: String
        /// Seconds since 1970.
        public var at: Int
    }

    private let calls = NIOLockedValueBox<[String: Call]>([:])

    public init() {}

    public func record(_ peer: Peer, _ outcome: String) {
        let call = Call(outcome: outcome, at: Int(Date().timeIntervalSince1970))
        calls.withLockedValue { $0[peer.rawValue] = call }
    }

    /// Records an answer by its status; nil: there was none.
    public func record(_ peer: Peer, status: Int?) { record(peer, status.map { "\($0)" } ?? "no answer") }

    /// By the peer's name.
    public var all: [String: Call] { calls.withLockedValue { $0 } }
}
