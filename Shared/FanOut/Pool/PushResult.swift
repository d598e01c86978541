package import APNsProtocol
/// The result of one push.
package enum PushResult: Sendable {
    case answered(APNsAnswer)
    /// The push was certainly never processed.
    case refused
    /// The push's gate was closed when its turn came.
    case withdrawn
    /// An operator's hold kept it from leaving.
    case onHold
    /// The push may or may not have been processed.
    case unknown
    /// The host's breaker is open: nothing is sent to it now.
    case stopped

    /// The value of the label `outcome` of `sightscreen_pushes_total`.
    package var outcome: String {
        switch self {
        case .refused: "refused"
        case .withdrawn, .onHold: "withdrawn"
        case .unknown: "unknown"
        case .stopped: "stopped"
        case .answered(let answer): Self.outcome(status: answer.status)
        }
    }

    /// The value of the label for an answer with this status.
    /// - Parameter isUnproven: the answer is about a token that was never accepted, which anybody can register.
    package static func outcome(status: Int, isUnproven: Bool = false) -> String {
        switch status {
        case 200: "accepted"
        case 400 where isUnproven: "unproven"
        case 410: "token_dead"
        case 429: "throttled"
        case 400..<500: "rejected"
        default: "server_error"
        }
    }
}

/// The values of the label `kind` of `sightscreen_pushes_total`.
package enum PushKind: String, Sendable { case start, update, end, silent, visible, publish }

/// The labels by which `sightscreen_pushes_total` counts.
package struct PushCount: Hashable, Sendable {
    package var kind: PushKind
    package var outcome: String
}
