import APNsProtocol
import HTTP2
import Logging
import Metrics
import SightscreenModels
import Store

/// A push whose token APNs called bad.
enum SuspectClaim: Sendable {
    case start(StartClaim)
    case fallback(FallbackClaim)

    var environment: APNsEnvironment {
        switch self {
        case .start(let claim): claim.environment
        case .fallback(let claim): claim.environment
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

/// What a token is for; the value of a metric's label.
enum TokenKind: String, CaseIterable { case update, start, device }

/// Start tokens and device tokens that APNs calls bad: the push is due again in a minute, unless its token is believed bad
/// and retired before.
extension LACoordinator {
    private static let retiredMax = 200

    func noteGoodToken(_ claim: SuspectClaim) {
        badTokens[claim.environment, default: .init(now: MonotonicTime.now)].noteGood(isProven: claim.isProven)
        if !claim.isProven { provenTokens.append(claim.token) }
    }

    func suspect(_ claim: SuspectClaim) {
        badTokens[claim.environment, default: .init(now: MonotonicTime.now)].noteBad(
            claim, of: RosterKey.account(of: claim.user), isProven: claim.isProven)
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

    /// Retires those that are believed bad, so many at a time that starts do not wait for it: the others are found bad again.
    func retireBadTokens() async {
        for environment in APNsEnvironment.allCases {
            let believed = badTokens[environment]?.judge(now: MonotonicTime.now) ?? []
            for suspect in believed.prefix(Self.retiredMax) {
                do {
                    switch suspect {
                    case .start(let claim):
                        if try await store.retireBadStartToken(claim) { countBadTokens(1, .start) }
                    case .fallback(let claim):
                        if try await store.retireBadDeviceToken(claim) { countBadTokens(1, .device) }
                    }
                } catch {
                    // The next try finds it bad again.
                    logger.warning("A bad token could not be retired", metadata: ["error": "\(error)"])
                }
            }
        }
    }
}
