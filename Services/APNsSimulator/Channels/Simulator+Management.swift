import HTTP2
import SightscreenModels

/// The answer to a management call, with what only some answers have.
private struct ManagementAnswer {
    var answer: SimulatorAnswer
    var channelID: String?
    /// The body; nil for that of the refusal.
    var body: [UInt8]?

    init(_ answer: SimulatorAnswer, channelID: String? = nil, body: [UInt8]? = nil) {
        self.answer = answer
        self.channelID = channelID
        self.body = body
    }

    init(_ refusal: Refusal) { self.init(SimulatorAnswer(refusal)) }
}

extension Simulator {
    /// Carries out a request to the management port and returns the answer. One that a fault refuses, or keeps from
    /// being processed, has no effect.
    func decideOnManagement(_ arrival: HTTP2Arrival, _ environment: APNsEnvironment) -> HTTP2Decision {
        let request = IncomingRequest(arrival)
        let nowMs = WallClock.nowMs
        let connection = connection(arrival.connection, APNsPort(.management, environment))
        let kind = (try? ManagementCheck.call(request))?.kind ?? .management
        let fault = faults.take(
            for: .init(call: kind, environment: environment, channel: request.field("apns-channel-id")), nowMs: nowMs)
        let result =
            if let replacement = fault?.action.replacement {
                ManagementAnswer(replacement)
            } else {
                answer(to: request, arrival, on: connection, environment, now: Int(nowMs / 1_000))
            }
        broadcasts.addCall(kind, environment, result.answer)
        setStreams(arrival, connection, result.answer.status)
        let requestID = request.field("apns-request-id") ?? PushID(using: &ids).text.lowercased()
        var fields = [HTTP2Field("apns-request-id", requestID)]
        if let id = result.channelID { fields.append(HTTP2Field("apns-channel-id", id)) }
        if let seconds = result.answer.retryAfter { fields.append(HTTP2Field("retry-after", String(seconds))) }
        let response = HTTP2Response(
            status: result.answer.status, headers: fields, body: result.body ?? result.answer.body)
        return decision(arrival, .respond(response), fault?.action)
    }

    private func answer(
        to request: IncomingRequest, _ arrival: HTTP2Arrival, on connection: SimulatorConnection,
        _ environment: APNsEnvironment, now: Int
    ) -> ManagementAnswer {
        let check = ManagementCheck(bundleID: configuration.bundleID)
        let call: ManagementCheck.Call
        do throws(Refusal) { call = try ManagementCheck.call(request) } catch { return ManagementAnswer(error) }
        if let refusal = refusalOfSender(request, on: connection, now: now) { return ManagementAnswer(refusal) }
        trust(connection, arrival)
        if let refusal = check.refusalOfBundle(call) ?? capability.refusal ?? check.refusalOfHeaders(request, call.kind)
        {
            return ManagementAnswer(refusal)
        }
        if arrival.bodyIsTooLarge { return ManagementAnswer(.payloadTooLarge) }
        switch call.kind {
        case .create: return answerToCreate(request, environment)
        case .list:
            let ids = channels.all(in: environment).map { "\"\($0.id)\"" }.joined(separator: ",")
            return ManagementAnswer(.accepted, body: Array("{\"channels\":[\(ids)]}".utf8))
        default: break
        }
        guard let channel = request.field("apns-channel-id").flatMap({ channels.channel($0, in: environment) }) else {
            return ManagementAnswer(.badPath)
        }
        if call.kind == .read {
            let body = #"{"message-storage-policy":\#(channel.policy),"push-type":"\#(ManagementCheck.pushType)"}"#
            return ManagementAnswer(.accepted, body: Array(body.utf8))
        }
        guard (try? channels.delete(channel)) != nil else { return ManagementAnswer(.internalServerError) }
        return ManagementAnswer(SimulatorAnswer(status: 204))
    }

    private func answerToCreate(_ request: IncomingRequest, _ environment: APNsEnvironment) -> ManagementAnswer {
        let policy: Int
        do throws(Refusal) { policy = try ManagementCheck.policy(request.body) } catch {
            return ManagementAnswer(error)
        }
        do {
            guard let channel = try channels.make(in: environment, policy: policy) else {
                return ManagementAnswer(.cannotCreateChannelConfig)
            }
            return ManagementAnswer(SimulatorAnswer(status: 201), channelID: channel.id)
        } catch {
            // A channel that cannot be written down would be forgotten at the next start.
            return ManagementAnswer(.internalServerError)
        }
    }

    /// Switches the app's capability. Switching it off deletes every channel.
    func setCapability(_ wanted: Capability) throws {
        if !wanted.enabled { try channels.deleteAll() }
        capability = wanted
    }
}
