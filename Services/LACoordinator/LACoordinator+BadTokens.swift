import APNsProtocol
import HTTP2
import Logging
import Store

/// A token that APNs called bad, and when (milliseconds since 1970, by the database's clock).
struct SuspectClaim: Sendable {
    enum Claim: Sendable {
        case start(StartClaim)
        case fallback(FallbackClaim)
    }

    var claim: Claim
    var atMs: Int64
}

/// Start tokens and device tokens that APNs calls bad: the push is due again in a minute, unless its token is believed bad
/// and retired before.
extension LACoordinator {
    static func environment(_ name: String) -> APNsEnvironment { APNsEnvironment(rawValue: name) ?? .production }

    func noteGoodToken(_ environment: String) { badTokens[Self.environment(environment), default: .init()].noteGood() }

    func suspect(_ claim: SuspectClaim.Claim, _ environment: String) {
        badTokens[Self.environment(environment), default: .init()]
            .noteBad(SuspectClaim(claim: claim, atMs: Int64(clock.now * 1_000)))
    }

    /// Retires those that are believed bad, if they were not registered again meanwhile.
    func retireBadTokens() async {
        for environment in APNsEnvironment.allCases {
            for suspect in badTokens[environment]?.judge(now: MonotonicTime.now) ?? [] {
                do {
                    switch suspect.claim {
                    case .start(let claim): try await store.retireStartToken(claim, sinceMs: suspect.atMs)
                    case .fallback(let claim): try await store.retireDeviceToken(claim, sinceMs: suspect.atMs)
                    }
                } catch {
                    // The next try finds it bad again.
                    logger.warning("A bad token could not be retired", metadata: ["error": "\(error)"])
                }
            }
        }
    }
}
