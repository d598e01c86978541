package import APNsProtocol

/// What became of one push.
package enum PushResult: Sendable {
    case answered(APNsAnswer)
    /// Certainly never processed.
    case refused
    /// Its gate was closed when its turn came.
    case withdrawn
    /// The operator holds it: it did not leave.
    case braked
    /// Nobody knows.
    case unknown
    /// Nothing is sent to that host for now.
    case held

    /// `outcome` of `sightscreen_pushes_total`.
    package var outcome: String {
        switch self {
        case .refused: "refused"
        case .withdrawn, .braked: "withdrawn"
        case .unknown: "unknown"
        case .held: "held"
        case .answered(let answer): Self.outcome(status: answer.status)
        }
    }

    /// The same of an answer.
    package static func outcome(status: Int) -> String {
        switch status {
        case 200: "accepted"
        case 410: "token_dead"
        case 429: "throttled"
        case 400..<500: "rejected"
        default: "server_error"
        }
    }
}

/// `kind` of `sightscreen_pushes_total`.
package enum PushKind: String, Sendable { case start, update, end, silent, visible }

/// What `sightscreen_pushes_total` counts apart.
package struct PushCount: Hashable, Sendable {
    package var kind: PushKind
    package var outcome: String
}
