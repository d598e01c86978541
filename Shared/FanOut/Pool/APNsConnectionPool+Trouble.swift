import APNsProtocol
import HTTP2

extension APNsConnectionPool {
    /// Connections in a row that could not be made, after which the host counts as out of reach: one may be lost to a
    /// host that is about to restart.
    private static let unreachableAfter = 2

    /// Why the host gets nothing but a push now and then; nil while it is not stopped.
    var stopped: HostTrouble? {
        stopCause.map { cause in
            let isOurs = cause == .refusal || cause == .topic
            return HostTrouble(
                host: authority, kind: isOurs ? .refused : .stopped, cause: cause.rawValue, reason: stopReason)
        }
    }

    /// Why there is no connection to the host, unless another loop has one; nil when there is one, or none is tried.
    var lost: HostTrouble? {
        // No connection is tried when the last phone has gone, and what the last try told becomes old.
        guard let unreachable, unreachable.tries >= Self.unreachableAfter, openConnections == 0, phones > 0 || hasWork
        else { return nil }
        return HostTrouble(host: authority, kind: .unreachable, cause: "unreachable", reason: unreachable.reason)
    }

    func noteUnreachable(_ reason: String) { unreachable = ((unreachable?.tries ?? 0) + 1, reason) }

    /// Reports a refusal, once a minute for each host and reason: the same may be answered a million times.
    func reportRefusal(_ answer: APNsAnswer, _ outcome: UpdateOutcome) {
        guard loop.refusals.isDue(authority, PushFailure(answer), now: MonotonicTime.now) else { return }
        let subject: FanOutReport.APNsRefusal.Subject =
            if outcome.isAboutToken { .token } else if outcome.isOurs { .us } else { .host }
        loop.report(.refused(.init(status: answer.status, reason: answer.name, host: authority, subject: subject)))
    }
}

extension APNsAnswer {
    /// APNs' reason or, without one, the status.
    var name: String { reasonText ?? "\(status)" }
}

extension UpdateOutcome {
    /// Whether the answer says that key, topic or payload is wrong, for which somebody has to look.
    fileprivate var isOurs: Bool { phone == .skipVersion || host == .stop }
}
