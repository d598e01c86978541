import Messages
import ServiceKit
import SightscreenModels
import Wire

/// Notifies the coordinators that activities or holds changed. A notification may be lost: coordinators read the
/// database regularly as well.
protocol CoordinatorNotifier: Sendable {
    func notify(of matches: Set<MatchID>) async
    /// Says that the operator has set or lifted a hold.
    func notifyOfHolds() async
}

/// Sends each notification to every coordinator of this host.
struct WireCoordinatorNotifier: CoordinatorNotifier {
    let coordinators: WireDirectory

    func notify(of matches: Set<MatchID>) async {
        for match in matches.sorted() {
            await coordinators.broadcast(ActivitiesChanged(matchID: match), traceparent: traceparent)
        }
    }

    func notifyOfHolds() async { await coordinators.broadcast(HoldsChanged(), traceparent: traceparent) }

    private var traceparent: String? { TraceContext.current?.traceparent }
}
