import APNsProtocol
import HTTP2
import Logging
import Metrics
import SightscreenModels
import Store

/// A token that APNs called bad, and when (milliseconds since 1970, by the database's clock).
struct SuspectClaim: Sendable {
    enum Claim: Sendable {
        case start(StartClaim)
        case fallback(FallbackClaim)

        var environment: APNsEnvironment {
            switch self {
            case .start(let claim): LACoordinator.environment(claim.environment)
            case .fallback(let claim): LACoordinator.environment(claim.environment)
            }
        }

        var user: UserID {
            switch self {
            case .start(let claim): claim.key.userID
            case .fallback(let claim): claim.userID
            }
        }

        var isProven: Bool {
            switch self {
            case .start(let claim): claim.isProven
            case .fallback(let claim): claim.isProven
            }
        }

        var token: ActivityStore.ProvenToken {
            switch self {
            case .start(let claim): .start(claim.token, claim.key.userID, claim.key.deviceID)
            case .fallback(let claim): .device(claim.token, claim.userID, claim.deviceID)
            }
        }
    }

    var claim: Claim
    var atMs: Int64
}

/// What a token is for; the value of a metric's label.
enum TokenKind: String, CaseIterable { case update, start, device }

/// Start tokens and device tokens that APNs calls bad: the push is due again in a minute, unless its token is believed bad
/// and retired before.
extension LACoordinator {
    static func environment(_ name: String) -> APNsEnvironment { APNsEnvironment(rawValue: name) ?? .production }

    func noteGoodToken(_ claim: SuspectClaim.Claim) {
        badTokens[claim.environment, default: .init()].noteGood(isProven: claim.isProven)
        if !claim.isProven { provenTokens.append(claim.token) }
    }

    func suspect(_ claim: SuspectClaim.Claim) {
        badTokens[claim.environment, default: .init()].noteBad(
            SuspectClaim(claim: claim, atMs: Int64(clock.now * 1_000)), of: RosterKey.account(of: claim.user),
            isProven: claim.isProven)
    }

    /// Notes which tokens have had their first 200. Those that cannot be noted now are proven by their next one.
    func noteProvenTokens() async {
        guard !provenTokens.isEmpty else { return }
        let proven = provenTokens
        provenTokens = []
        do { try await store.prove(proven) } catch {
            logger.warning("Proven tokens could not be noted", metadata: ["error": "\(error)"])
        }
    }

    func countBadTokens(_ count: Int, _ kind: TokenKind) {
        Counter(label: "sightscreen_bad_tokens_retired_total", dimensions: [("kind", kind.rawValue)])
            .increment(by: Int64(count))
    }

    /// Retires those that are believed bad, if they were not registered again meanwhile.
    func retireBadTokens() async {
        for environment in APNsEnvironment.allCases {
            for suspect in badTokens[environment]?.judge(now: MonotonicTime.now) ?? [] {
                do {
                    switch suspect.claim {
                    case .start(let claim):
                        try await store.retireStartToken(claim, sinceMs: suspect.atMs, isBad: true)
                        countBadTokens(1, .start)
                    case .fallback(let claim):
                        try await store.retireDeviceToken(claim, sinceMs: suspect.atMs, isBad: true)
                        countBadTokens(1, .device)
                    }
                } catch {
                    // The next try finds it bad again.
                    logger.warning("A bad token could not be retired", metadata: ["error": "\(error)"])
                }
            }
        }
    }
}
