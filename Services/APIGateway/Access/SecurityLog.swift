package import Logging
import Metrics
package import SightscreenModels
package import Store

/// Writes the events that an operator looks for: a log line each, and a counter. The page on security says
/// what each means. An account is named by a keyed hash, so that lines about one account are found together and the log
/// holds no user ids.
package struct SecurityLog: Sendable {
    package enum Event: String, CaseIterable, Sendable {
        /// A phone has confirmed that it is its owner's, against another account's claim; the account is the owner's.
        case claimRefused = "claim-refused"
        /// A phone's device token has moved to this account from another one, which is the former account.
        case phoneMoved = "phone-moved"
        /// A start or update token has moved so, without the device token.
        case tokenMoved = "token-moved"
        /// So many of the account's push tokens were bad that it registers no more for the hour.
        case accountBlocked = "account-blocked"
        /// The account was deleted by its user. After a restore of the database `sightscreen erase --hashed` reads these lines.
        case accountDeleted = "account-deleted"
        /// An administrators' key was wrong. There is no account.
        case wrongAdminKey = "wrong-admin-key"
    }

    /// A log for stores that are used without a gateway; it only counts.
    package static let off = SecurityLog(
        vault: .inClear, logger: Logger(label: "off") { _ in SwiftLogNoOpLogHandler() })

    private let vault: TokenVault
    private let logger: Logger

    package init(vault: TokenVault, logger: Logger) {
        self.vault = vault
        self.logger = logger
    }

    /// Starts the counters at 0, so that an alert on their increase sees the first event, too.
    static func beginCounters() { for event in Event.allCases { counter(event).increment(by: 0) } }

    /// - Parameter former: the account that had what this one has now.
    package func note(_ event: Event, account: UserID? = nil, former: UserID? = nil) {
        Self.counter(event).increment()
        var metadata: Logger.Metadata = ["security.event": "\(event.rawValue)"]
        for (key, account) in [("security.account", account), ("security.formerAccount", former)] {
            if let account { metadata[key] = "\(vault.pseudonym(of: account) ?? "no key file")" }
        }
        logger.warning("Security event", metadata: metadata)
    }

    private static func counter(_ event: Event) -> Counter {
        Counter(label: "sightscreen_security_events_total", dimensions: [("event", event.rawValue)])
    }
}
