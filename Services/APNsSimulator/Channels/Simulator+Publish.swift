import HTTP2
import SightscreenModels

/// A publish to a channel on its way through the simulator.
private struct Publish {
    let arrival: HTTP2Arrival
    let environment: APNsEnvironment
    let connection: SimulatorConnection
    let request: IncomingRequest
    let payload: KnownPayload
    let nowMs: Int64

    var now: Int { Int(nowMs / 1_000) }
    var channelID: String { request.field("apns-channel-id") ?? "" }
    var priority: Int {
        request.field("apns-priority").flatMap { Int($0) }.flatMap { PushCheck.priorities.contains($0) ? $0 : nil }
            ?? PushCheck.immediate
    }
    var expiration: Int { request.field("apns-expiration").flatMap { Int($0) } ?? 0 }
}

extension Simulator {
    /// Checks a publish, delivers it to the phones that listen to its channel, logs it and returns the answer.
    func decideOnPublish(_ arrival: HTTP2Arrival, _ environment: APNsEnvironment) -> HTTP2Decision {
        let request = IncomingRequest(arrival)
        let publish = Publish(
            arrival: arrival, environment: environment,
            connection: connection(arrival.connection, APNsPort(.pushes, environment)), request: request,
            payload: KnownPayload(request.body, &broadcasts.alerts), nowMs: WallClock.nowMs)
        let fault = faults.take(
            for: .init(
                call: .publish, environment: environment, event: publish.payload.event,
                pushType: request.field("apns-push-type"), channel: publish.channelID),
            nowMs: publish.nowMs)
        var answer = answer(to: publish)
        if let replacement = fault?.action.replacement { answer = replacement }

        let id = PushID(using: &ids)
        let requestID = request.field("apns-request-id") ?? id.text.lowercased()
        var headers = request.logged
        headers["apns-request-id"] = requestID
        let logged = DeliveryLog.Publish(channel: publish.channelID, headers: headers)
        var entry = DeliveryLog.Entry(
            receivedAtMs: publish.nowMs, id: id, payload: publish.payload, answer: known(answer),
            rare: .init(publish: logged), connection: UInt32(arrival.connection.rawValue), environment: environment,
            fault: fault?.name)
        if answer.status == 200, let channel = channels.channel(publish.channelID, in: environment) {
            channel.publishes += 1
            entry.deviceVerdict = publish.payload.facts.flatMap { PublishCheck.drop($0, now: publish.now) }
            log.append(entry)
            if entry.deviceVerdict == nil { deliver(publish, logged, on: channel, fault?.action, entry) }
        } else {
            log.append(entry)
        }
        broadcasts.publishes.add(
            known(answer), publish.payload.event, publish.priority, entry.deviceVerdict, environment)
        for follower in followers.values { follower.yield() }
        setStreams(arrival, publish.connection, answer.status)
        var fields = [HTTP2Field("apns-request-id", requestID)]
        if let seconds = answer.retryAfter { fields.append(HTTP2Field("retry-after", String(seconds))) }
        let response = HTTP2Response(status: answer.status, headers: fields, body: answer.body)
        return decision(arrival, .respond(response), fault?.action)
    }

    private func answer(to publish: Publish) -> SimulatorAnswer {
        let check = PublishCheck(bundleID: configuration.bundleID)
        let request = publish.request
        if let refusal = check.refusalOfTarget(request)
            ?? refusalOfSender(request, on: publish.connection, now: publish.now)
        {
            return SimulatorAnswer(refusal)
        }
        trust(publish.connection, publish.arrival)
        if let refusal = check.refusalOfBundle(request) ?? capability.refusal
            ?? check.refusalOfHeaders(request, now: publish.now, { facts(of: $0, in: publish.environment) })
            ?? PublishCheck.refusalOfPayload(request.body, publish.payload.facts)
        {
            return SimulatorAnswer(refusal)
        }
        guard let channel = channels.channel(publish.channelID, in: publish.environment) else {
            return SimulatorAnswer(.badChannelID)
        }
        if let perMinute = configuration.publishesPerMinute,
            !channel.budget.take(of: perMinute, nowMs: publish.nowMs)
        {
            return SimulatorAnswer(.tooManyRequests, retryAfter: configuration.retryAfterSeconds)
        }
        return .accepted
    }

    private func facts(of channel: String, in environment: APNsEnvironment) -> PublishCheck.Channel {
        if let known = channels.channel(channel, in: environment) { return .live(policy: known.policy) }
        return channels.isDeleted(channel, in: environment) ? .deleted : .unknown
    }

    // MARK: - Delivering

    /// Delivers a publish to the phones that listen. A message that is stored reaches all of them.
    private func deliver(
        _ publish: Publish, _ logged: DeliveryLog.Publish, on channel: Channel, _ fault: Fault.Action?,
        _ entry: DeliveryLog.Entry
    ) {
        var lostShare = configuration.lostShare
        if case .lose(let share) = fault { lostShare = share }
        if channel.policy == 1, publish.expiration > publish.now {
            channel.stored = Channel.Stored(
                payload: publish.payload, publish: logged, priority: publish.priority, expiration: publish.expiration)
            lostShare = 0
        }
        channel.listeners.forEach { listener in
            if lostShare > 0, Double(ids.next() >> 11) < lostShare * Double(1 << 53) {
                logged.lost += 1
                broadcasts.add(.lost)
                return
            }
            logged.reached += 1
            var line = entry
            deliver(publish.payload, publish.priority, to: &listener, &line, now: publish.now)
        }
    }

    private func deliver(
        _ payload: KnownPayload, _ priority: Int, to listener: inout Listeners.Listener,
        _ entry: inout DeliveryLog.Entry, now: Int
    ) {
        let outcome = listener.phone.receive(
            payload.push, priority: priority, expiration: nil, attributesType: configuration.attributesType,
            budgets: configuration.budgets, now: now)
        entry.device = listener.subscriber
        entry.deviceVerdict = outcome
        log.append(entry)
        broadcasts.add(outcome)
        if let alert = payload.alert {
            broadcasts.alerts.accepted(alert, device: Int(listener.subscriber), isShown: outcome == .handled)
        }
    }

    // MARK: - Subscribing

    /// Makes a phone listen to a channel with a new activity, and gives it the message that the channel stores.
    ///
    /// - Returns: false when there is no such channel.
    func subscribe(_ subscriber: UInt32, to id: String, in environment: APNsEnvironment, _ phone: DeviceModel) -> Bool {
        guard let channel = channels.channel(id, in: environment) else { return false }
        var listener = Listeners.Listener(subscriber: subscriber, phone: phone)
        let nowMs = WallClock.nowMs
        if let stored = channel.stored, stored.expiration > nowMs / 1_000 {
            var entry = DeliveryLog.Entry(
                receivedAtMs: nowMs, id: PushID(using: &ids), payload: stored.payload, answer: accepted,
                rare: .init(publish: stored.publish), connection: 0, environment: environment)
            deliver(stored.payload, stored.priority, to: &listener, &entry, now: Int(nowMs / 1_000))
            for follower in followers.values { follower.yield() }
        }
        channel.listeners.add(listener)
        return true
    }

    /// Ends a phone's listening.
    ///
    /// - Returns: false when it did not listen.
    func unsubscribe(_ subscriber: String, from channel: String) -> Bool {
        guard let number = subscribers.number(of: subscriber) else { return false }
        return channels.channel(channel)?.listeners.remove(number) ?? false
    }
}
