import HTTP2
import SightscreenModels

/// A request on its way through the simulator.
private struct Push {
    let arrival: HTTP2Arrival
    let environment: APNsEnvironment
    let check: PushCheck
    let connection: SimulatorConnection
    let nowMs: Int64
    /// The token in the path; nil when the path is not one of a push, or not of the plain form.
    var token: UnsafeRawBufferPointer?
    /// Whether the path is one of a publish to a channel.
    var isPublish = false
    /// The `apns-id` as sent; nil without one.
    var sentID: UnsafeRawBufferPointer?
    var collapseID: UnsafeRawBufferPointer?
    /// Whether its own fields are neither doubled nor malformed. The check of the other fields is in their block.
    var isPlain = true
    var id: PushID?
    var device: Int?

    var now: Int { Int(nowMs / 1_000) }

    init(
        _ arrival: HTTP2Arrival, _ environment: APNsEnvironment, _ check: PushCheck,
        _ connection: SimulatorConnection, nowMs: Int64
    ) {
        self.arrival = arrival
        self.environment = environment
        self.check = check
        self.connection = connection
        self.nowMs = nowMs
        let text = arrival.text
        for field in arrival.fields {
            let name = UnsafeRawBufferPointer(rebasing: text[field.start..<field.start + field.nameCount])
            guard let kind = VariableField(name) else { continue }
            let start = field.start + field.nameCount
            let value = UnsafeRawBufferPointer(rebasing: text[start..<start + field.valueCount])
            switch kind {
            case .path:
                token = Self.token(value)
                isPublish = token == nil && value.begins(with: PublishCheck.pathPrefix)
            case .id:
                if sentID != nil { isPlain = false } else { sentID = value }
            case .collapseID:
                if collapseID != nil { isPlain = false } else { collapseID = value }
            }
        }
        if let sentID {
            if sentID.count == PushID.count { id = PushID(sentID) }
            if id?.isCanonical != true { isPlain = false }
        }
        if let collapseID, collapseID.count > 64 { isPlain = false }
    }

    private static func token(_ path: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        let prefix: StaticString = "/3/device/"
        guard path.begins(with: prefix), path.count > prefix.utf8CodeUnitCount else { return nil }
        let token = UnsafeRawBufferPointer(rebasing: path[prefix.utf8CodeUnitCount...])
        return token.contains(UInt8(ascii: "/")) ? nil : token
    }
    /// The request as text, for the slow path.
    var request: IncomingRequest { IncomingRequest(arrival) }
}

extension Simulator {
    /// Checks a request, delivers it to its phone, logs it and returns the answer.
    func decide(on arrival: HTTP2Arrival, _ environment: APNsEnvironment) -> HTTP2Decision {
        let connection = connection(arrival.connection, APNsPort(.pushes, environment))
        var push = Push(arrival, environment, check(environment), connection, nowMs: WallClock.nowMs)
        if push.isPublish { return decideOnPublish(arrival, environment) }
        let block = block(of: arrival, on: connection, push.check) { push.request }
        let payload = payload(arrival.body, on: connection)
        let id = push.id ?? PushID(using: &ids)
        if let token = push.token {
            push.device = device(token)
            if !TokenKey.isLowerCase(token) { push.isPlain = false }
        }
        let fault = faults.take(
            for: .init(
                token: push.token, environment: environment, event: payload.event, pushType: block.pushType),
            nowMs: push.nowMs)

        var answer = judge(push, block, payload)
        if let replacement = fault?.action.replacement { answer = known(replacement) }
        let outcome = answer.answer.status == 200 ? deliver(push, block, payload) : nil
        tally.add(answer, payload.event, block.priority, outcome, environment)
        record(push, block, payload, id, answer, outcome, fault)
        setStreams(arrival, connection, answer.answer.status)
        return decision(arrival, reply(push, answer, id), fault?.action)
    }

    // MARK: - Checking

    /// Returns why the sender of a publish or a management call is refused. A signature is verified once for each
    /// connection, its expiry every time.
    func refusalOfSender(
        _ request: IncomingRequest, on connection: SimulatorConnection, now: Int
    ) -> Refusal? {
        let authorization = request.field("authorization")
        if authorization == nil || authorization != connection.authorization?.value
            || now >= connection.authorization?.goodUntil ?? 0
        {
            if let refusal = providerToken.refusal(of: authorization, now: now) { return refusal }
            if let authorization, let claims = ProviderTokenClaims(authorization: authorization) {
                connection.authorization = (authorization, claims.issuedAt + ProviderTokenCheck.lifetimeSeconds)
            }
        }
        return connection.history.refusal(of: authorization ?? "", now: now)
    }

    /// Opens the connection's streams at its first valid provider token.
    func trust(_ connection: SimulatorConnection, _ arrival: HTTP2Arrival) {
        guard !connection.isTrusted else { return }
        connection.isTrusted = true
        arrival.setConcurrentStreamsMax(configuration.streamsMax)
    }

    private func judge(_ push: Push, _ block: HeaderBlock, _ payload: KnownPayload) -> KnownAnswer {
        let connection = push.connection
        if push.token == nil || block.method != "POST", let reason = push.check.refusalOfTarget(push.request) {
            return known(SimulatorAnswer(reason))
        }
        // A signature is verified once, its expiry every time.
        if push.now >= block.goodUntil {
            if let reason = push.check.refusalOfSender(push.request, now: push.now) {
                return known(SimulatorAnswer(reason))
            }
            if let claims = ProviderTokenClaims(authorization: block.authorization) {
                block.goodUntil = claims.issuedAt + ProviderTokenCheck.lifetimeSeconds
            }
        }
        if let reason = connection.history.refusal(of: block.authorization, now: push.now) {
            return known(SimulatorAnswer(reason))
        }
        trust(connection, push.arrival)
        let refusal = push.isPlain ? block.refusal : push.check.refusalOfHeaders(push.request)
        if let reason = refusal ?? payload.refusal { return known(SimulatorAnswer(reason)) }
        guard let index = push.device else { return known(SimulatorAnswer(.badDeviceToken)) }
        let device = tokens.device(index).pointee
        let answer = push.check.answer(
            toToken: device.kind, of: device.environment, bundle: tokens.bundle(index), deletedAtMs: device.deletedAtMs,
            isLiveActivity: block.isLiveActivity)
        return answer.status == 200 ? accepted : known(answer)
    }

    /// Delivers the push to its phone. APNs never learns the outcome.
    private func deliver(_ push: Push, _ block: HeaderBlock, _ payload: KnownPayload) -> DeviceOutcome? {
        guard let index = push.device else { return nil }
        let outcome = tokens.device(index).pointee.phone.receive(
            payload.push, priority: block.priority, expiration: block.expiration,
            attributesType: configuration.attributesType, startProblem: startProblem(payload, push.environment),
            budgets: configuration.budgets, now: push.now)
        if let alert = payload.alert { alerts.accepted(alert, device: index, isShown: outcome == .handled) }
        return outcome
    }

    /// Returns why a start that names a channel begins no activity.
    private func startProblem(_ payload: KnownPayload, _ environment: APNsEnvironment) -> DeviceOutcome? {
        guard payload.event == .start, let facts = payload.facts else { return nil }
        switch facts.input {
        case .absent, .token: return nil
        case .both: return .conflictingInput
        case .badChannel: return .unknownChannel
        case .channel(let id): return channels.channel(id, in: environment) == nil ? .unknownChannel : nil
        }
    }

    private func record(
        _ push: Push, _ block: HeaderBlock, _ payload: KnownPayload, _ id: PushID, _ answer: KnownAnswer,
        _ outcome: DeviceOutcome?, _ fault: Fault?
    ) {
        var entry = DeliveryLog.Entry(
            receivedAtMs: push.nowMs, id: id, block: block, payload: payload, answer: answer,
            device: push.device.map(UInt32.init), connection: UInt32(push.arrival.connection.rawValue),
            environment: push.environment, deviceVerdict: outcome, fault: fault?.name)
        if push.token == nil || !push.isPlain {
            let request = push.request
            var headers = [":path": request.path]
            for field in request.fields where field.name.hasPrefix("apns-") { headers[field.name] = field.value }
            entry.rare = .init(
                token: request.token, headers: headers,
                id: push.id == nil ? push.sentID.map { String(decoding: $0, as: UTF8.self) } : nil)
        } else if push.device == nil || push.collapseID != nil {
            func text(_ bytes: UnsafeRawBufferPointer) -> String { String(decoding: bytes, as: UTF8.self) }
            entry.rare = .init(
                token: push.device == nil ? push.token.map(text) : nil, collapseID: push.collapseID.map(text))
        }
        log.append(entry)
        for follower in followers.values { follower.yield() }
    }

    // MARK: - Answering

    /// Gives a connection fewer streams after a refused push, if the settings ask for that. A dead token is no mistake.
    func setStreams(_ arrival: HTTP2Arrival, _ connection: SimulatorConnection, _ status: Int) {
        guard let fewer = configuration.streamsAfterRefusal, connection.isTrusted else { return }
        if (400..<500).contains(status), status != 410, !connection.isSlowedDown {
            connection.isSlowedDown = true
            arrival.setConcurrentStreamsMax(fewer)
        } else if (200..<300).contains(status), connection.isSlowedDown {
            connection.isSlowedDown = false
            arrival.setConcurrentStreamsMax(configuration.streamsMax)
        }
    }

    private func reply(_ push: Push, _ answer: KnownAnswer, _ id: PushID) -> HTTP2Reply {
        guard push.id == nil, let sent = push.sentID else { return answer.reply(id, push.environment, &ids) }
        return .respond(
            HTTP2Response(
                status: answer.answer.status,
                headers: [HTTP2Field("apns-id", String(decoding: sent, as: UTF8.self))], body: answer.answer.body))
    }

    /// Gives the reply, or what a fault makes of it.
    func decision(_ arrival: HTTP2Arrival, _ reply: HTTP2Reply, _ fault: Fault.Action?) -> HTTP2Decision {
        var delay = configuration.answerDelayMs
        switch fault {
        case .mute: return .now(.silence)
        case .close: return .now(.disconnect)
        case .reset(let code): return .now(.reset(code))
        case .goAway(let reason, let processed):
            let stream = arrival.streamID
            let last = arrival.sendGoAway(
                lastStreamID: processed ? stream : max(stream - 2, 0),
                debugData: Array(#"{"reason":"\#(reason)"}"#.utf8))
            // Later streams were processed before this one, and GOAWAY says nothing about it then.
            if !processed { return .now(last < stream ? .silence : .reset(.refusedStream)) }
        case .delay(let milliseconds): delay += milliseconds
        case .streamLimit(let limit): arrival.setConcurrentStreamsMax(limit)
        case .answer, .lose, nil: break
        }
        return delay == 0 ? .now(reply) : .after(milliseconds: delay, reply)
    }
}
