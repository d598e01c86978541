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

    package var outcome: PushOutcome {
        switch self {
        case .refused: .refused
        case .withdrawn, .onHold: .withdrawn
        case .unknown: .unknown
        case .stopped: .stopped
        case .answered(let answer): PushOutcome(status: answer.status)
        }
    }

    /// The outcome of an answered push.
    /// - Parameter isUnproven: the token was never accepted, so anybody can have registered it. Its answer is left out
    ///   of the alert for refused pushes if it is about the token, or if it stops the host, for which there is another
    ///   alert: a device that says `sandbox` is answered that the key is not for that host.
    static func outcome(_ answer: APNsAnswer, _ outcome: UpdateOutcome, isUnproven: Bool) -> PushOutcome {
        let isExpected =
            outcome.phone == .notForTopic || outcome.phone == .retireUnlessMany || outcome.host == .stop
        return isUnproven && isExpected ? .unproven : PushOutcome(status: answer.status)
    }
}

/// The values of the label `outcome` of `sightscreen_pushes_total`.
package enum PushOutcome: String, CaseIterable, Sendable {
    case accepted, rejected, throttled, unproven, refused, unknown, stopped, withdrawn
    case tokenDead = "token_dead"
    case serverError = "server_error"

    /// - Parameter status: of an answer.
    package init(status: Int) {
        self =
            switch status {
            case 200: .accepted
            case 410: .tokenDead
            case 429: .throttled
            case 400..<500: .rejected
            default: .serverError
            }
    }
}

/// The values of the label `kind` of `sightscreen_pushes_total`.
package enum PushKind: String, CaseIterable, Sendable { case start, update, end, silent, visible, publish }

/// The labels by which `sightscreen_pushes_total` counts.
package struct PushCount: Hashable, Sendable {
    package var kind: PushKind
    package var outcome: PushOutcome

    package init(kind: PushKind, outcome: PushOutcome) {
        self.kind = kind
        self.outcome = outcome
    }
}
