import SightscreenClient
import SightscreenModels

/// The functions that deliver pushes.
extension SimulatedActivityKit {
    /// Delivers a push, or keeps it while the phone is offline.
    @discardableResult
    public func receive(_ push: RawPush) async -> PushOutcome {
        await catchUp()
        guard isOnline else { return offline.keep(push) ? .kept : .dropped(.offline) }
        return await handle(push)
    }

    func handle(_ push: RawPush) async -> PushOutcome {
        let outcome: PushOutcome
        do throws(PushDropped) { outcome = try taken(push) } catch { outcome = .dropped(error.reason) }
        await publish()
        switch outcome {
        case .started:
            // The system wakes the app, so that it can send the activity's token, and repeats the push-to-start token.
            wakeApp()
            sendStartToken()
        case .wakesApp: wakeApp()
        default: break
        }
        return outcome
    }

    private func taken(_ push: RawPush) throws(PushDropped) -> PushOutcome {
        let now = clock.now
        if let expiration = push.expiration, expiration > 0, expiration < now { throw PushDropped(.expired) }
        guard push.body.count <= limits.payloadBytesMax else { throw PushDropped(.tooLarge) }
        if push.token == deviceToken.rawValue { return try takenByApp(push, now) }
        let isStart = push.token == startToken.rawValue
        let target = board.activities.first { $0.token?.rawValue == push.token }?.id
        guard isStart || target != nil else { throw PushDropped(.unknownToken) }
        guard push.pushType == APNsPushType.liveactivity.rawValue else { throw PushDropped(.wrongPushType) }
        let content = try ActivityPush(push.body)
        guard let target else {
            let id = newActivityID()
            try board.start(content, as: id, now: now)
            return .started(id)
        }
        let isEnd = content.event == .end
        let alerted = try board.update(target, content, priority: push.priority, now: now)
        return isEnd ? .ended(target) : .updated(target, alerted: alerted)
    }

    private func takenByApp(_ push: RawPush, _ now: Int) throws(PushDropped) -> PushOutcome {
        switch push.pushType {
        case APNsPushType.background.rawValue:
            guard let appPush = AppPush(payload: push.body, kind: .silent) else { throw PushDropped(.notDecodable) }
            guard !isForceQuit, silentBudget.take(of: limits.silentPushesPerHour, now: now) else {
                throw PushDropped(.notWoken)
            }
            return .wakesApp(appPush)
        case APNsPushType.alert.rawValue:
            guard let alert = DevicePush(push.body).alert else { throw PushDropped(.notDecodable) }
            notifications.append(ShownAlert(title: alert.title, body: alert.body, hasSound: false, at: now))
            notifications = notifications.suffix(limits.notificationsMax)
            return .notifies(AppPush(payload: push.body, kind: .opened))
        default: throw PushDropped(.wrongPushType)
        }
    }

    /// Sets whether the phone has a network.
    ///
    /// - Returns: the outcomes of the pushes that were kept for the phone, when it is online again.
    @discardableResult
    public func setOnline(_ online: Bool) async -> [PushOutcome] {
        isOnline = online
        await catchUp()
        guard online else { return [] }
        var outcomes: [PushOutcome] = []
        for push in offline.take() { outcomes.append(await handle(push)) }
        return outcomes
    }
}
