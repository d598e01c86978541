import Messages
import ServiceKit
import SightscreenModels
import Wire

/// Tells the coordinators that activities or holds changed. It may be lost: they look for themselves as well.
protocol CoordinatorBell: Sendable {
    func ring(for matches: Set<MatchID>) async
    /// The operator has set or lifted a hold.
    func ringHolds() async
}

/// Rings at every coordinator of this host.
struct WireCoordinatorBell: CoordinatorBell {
    let coordinators: WireDirectory

    func ring(for matches: Set<MatchID>) async {
        for match in matches.sorted() {
            await coordinators.broadcast(ActivitiesChanged(matchID: match), traceparent: traceparent)
        }
    }

    func ringHolds() async { await coordinators.broadcast(HoldsChanged(), traceparent: traceparent) }

    private var traceparent: String? { TraceContext.current?.traceparent }
}
