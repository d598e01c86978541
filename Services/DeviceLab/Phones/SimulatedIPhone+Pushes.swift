import SightscreenClient
import SightscreenClientTesting
import SightscreenModels
/// Delivery of pushes.
extension SimulatedIPhone {
    func take(_ push: PhonePush) async {
        switch push {
        case .push(let push): await took(await kit.receive(push))
        case .broadcast(let broadcast): for outcome in await kit.receive(broadcast) { await took(outcome) }
        }
    }

    func took(_ outcome: PushOutcome) async {
        switch outcome {
        case .started(let activity):
            counts.received += 1
            note(.push, "A push starts an activity\(await ofMatch(activity))")
            await light(activity)
            // The system launches the app, so that it can report the activity's token.
            if app == nil {
                note(.system, "The app is launched in the background")
                await launch(inFront: false)
            }
        case .updated(let activity, let alerted):
            counts.received += 1
            note(.push, "\(await ball(of: activity))\(await ofMatch(activity))\(alerted ? ", with an alert" : "")")
            if alerted { await light(activity) }
        case .ended(let activity):
            counts.received += 1
            note(.push, "The activity\(await ofMatch(activity)) ends: \(await ball(of: activity))")
        case .wakesApp(let push):
            counts.received += 1
            note(.push, "A silent push wakes the app")
            await launch(inFront: false)
            enqueue { phone in
                await phone.app?.service.receive(push)
                await phone.kit.answered()
            }
        case .notifies(let push):
            counts.received += 1
            untapped = push
            if let shown = await kit.screen.notifications.last { light(.notification, shown) }
            note(.push, "A notification")
        case .kept:
            let text = "APNs keeps pushes until the phone is back"
            if log.last?.text != text { note(.system, text) }
        case .dropped(let reason):
            counts.received += 1
            counts.dropped += 1
            note(.push, "Dropped: \(reason.words)")
        }
        changed()
    }

    /// The ball that an activity shows: "Ball 12.3: MI 87/6".
    private func ball(of activity: ActivityID) async -> String {
        guard let state = await kit.activities.first(where: { $0.id == activity })?.content.state else {
            return "Nothing"
        }
        let score = state.compactLeading
        guard !score.score.isEmpty else { return "Before play: \(state.expanded.title)" }
        return "Ball \(state.compactTrailing.overs): \(score.teamAbbr) \(score.score)"
    }

    /// The match of an activity, named where the phone has several.
    private func ofMatch(_ activity: ActivityID) async -> String {
        let all = await kit.activities
        guard let shown = all.first(where: { $0.id == activity }) else { return "" }
        return ofMatch(shown, among: all)
    }

    private func light(_ activity: ActivityID) async {
        guard let shown = await kit.activities.first(where: { $0.id == activity })?.lastAlert else { return }
        counts.alerts += 1
        light(.activity, shown)
    }

    private func light(_ kind: LabAlert.Kind, _ shown: ShownAlert) {
        alert = LabAlert(
            id: (alert?.id ?? 0) + 1, kind: kind, title: shown.title, body: shown.body, hasSound: shown.hasSound,
            atMs: Shared.nowMs)
    }
}

extension PushDrop {
    /// The sentence for a person who reads the phone's log.
    var words: String {
        switch self {
        case .unknownToken: "no activity has this token"
        case .offline: "the phone is offline, and it was not to be kept"
        case .expired: "it came too late"
        case .tooLarge: "it is too large"
        case .wrongPushType, .wrongEvent: "it is not for this token"
        case .notDecodable: "the app cannot read it"
        case .wrongAttributesType: "it is for another type of activity"
        case .noChannels: "this iOS has no broadcast channels"
        case .missed: "it was lost on its way"
        case .missingAlert: "a start without an alert"
        case .notPermitted: "Live Activities are switched off"
        case .startBudgetExceeded: "too many starts"
        case .tooManyActivities: "too many activities"
        case .updateBudgetExceeded: "too many updates of priority 10"
        case .oldTimestamp: "older than what is shown"
        case .farTimestamp: "from too far in the future"
        case .alreadyEnded: "the activity is over"
        case .notWoken: "the app is not woken for it"
        }
    }
}
