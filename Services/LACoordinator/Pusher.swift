import APNsProtocol
import HTTP2
import Logging
import Messages
import Metrics
import Reactor
import Sightscreen

/// Sends pushes to the right APNs host with the shared provider token, and reacts to what concerns all of them: an
/// expired token, a refused key, a host in trouble.
actor Pusher {
    private static let timeout = Duration.seconds(10)
    /// How long nothing is sent after APNs refused our key, team or topic.
    private static let holdTime = Duration.seconds(60)
    /// Header blocks kept: a handful of versions with their variants.
    private static let templatesMax = 64

    private struct TemplateKey: Hashable {
        var environment: APNsEnvironment
        var headers: APNsHeaders
    }

    private let hosts: [APNsEnvironment: APNsHost]
    private let tokens: ProviderTokenSource
    private let logger: Logger
    private var templates: [TemplateKey: HTTP2HeaderTemplate] = [:]
    private var templateToken = ""
    private var heldUntil: [APNsEnvironment: ContinuousClock.Instant] = [:]
    /// When a push was last taken: key and topic were right then.
    private var acceptedAt: [APNsEnvironment: ContinuousClock.Instant] = [:]

    init(configuration: CoordinatorConfiguration.APNs, tokens: ProviderTokenSource, reactor: Reactor, logger: Logger) {
        self.tokens = tokens
        self.logger = logger
        var hosts: [APNsEnvironment: APNsHost] = [:]
        for (environment, origin) in [
            (APNsEnvironment.production, configuration.production), (.sandbox, configuration.sandbox),
        ] {
            hosts[environment] = APNsHost(
                origin: origin, tls: configuration.tls, reactor: reactor, connectionsMax: 2, logger: logger)
        }
        self.hosts = hosts
    }

    /// - Parameter level: the hold of the operator that keeps it from leaving.
    func push(
        _ kind: PushKind, to environment: APNsEnvironment, path: String, headers: APNsHeaders, payload: PushPayload,
        gate: PushGate, unlessHeld level: HoldLevel = .pushes
    ) async -> PushResult {
        var result = await send(environment, path, headers, payload, gate, level)
        if case .withdrawn = result, gate.isHeld(level) {
            result = .braked
            countHeld()
        }
        Counter(
            label: "sightscreen_pushes_total",
            dimensions: [("kind", kind.rawValue), ("outcome", Self.outcome(result))]
        ).increment()
        return result
    }

    /// Pushes that a hold kept from leaving.
    nonisolated func countHeld(_ count: Int = 1) {
        Counter(label: "sightscreen_pushes_held_total").increment(by: Int64(count))
    }

    func close() async {
        for host in hosts.values { await host.close() }
    }

    private func send(
        _ environment: APNsEnvironment, _ path: String, _ headers: APNsHeaders, _ payload: PushPayload,
        _ gate: PushGate, _ level: HoldLevel
    ) async -> PushResult {
        if gate.isHeld(level) { return .withdrawn }
        if let until = heldUntil[environment], .now < until { return .held }
        guard let host = hosts[environment] else { return .held }
        var token: String
        do { token = try await tokens.current() } catch {
            logger.warning("No provider token", metadata: ["error": "\(error)"])
            return .refused
        }
        var repeats = 1
        while true {
            let template = template(TemplateKey(environment: environment, headers: headers), host.authority, token)
            let outcome = await host.push(
                path: path, headers: template, body: payload.bytes, timeout: Self.timeout,
                isStillWanted: { gate.isOpen(unlessHeld: level) })
            switch outcome {
            case .refused: return .refused
            case .withdrawn: return .withdrawn
            case .unknown: return .unknown
            case .response(let response):
                let answer = APNsAnswer(status: response.status, body: response.body)
                if answer.action == .accepted { acceptedAt[environment] = .now }
                guard repeats > 0, let next = await react(to: answer, environment, host, token) else {
                    return .answered(answer)
                }
                repeats -= 1
                token = next
            }
        }
    }

    /// Does what an answer asks of all pushes.
    /// - Returns: the token with which this push goes out once more, if it does.
    private func react(
        to answer: APNsAnswer, _ environment: APNsEnvironment, _ host: APNsHost, _ token: String
    ) async -> String? {
        let action = answer.action
        let metadata: Logger.Metadata = [
            "apns.status": "\(answer.status)", "apns.reason": "\(answer.reasonText ?? "")",
            "apns.host": "\(host.authority)",
        ]
        switch action {
        case .refreshProviderToken:
            let replacement = try? await tokens.replacement(for: token)
            return replacement == token ? nil : replacement
        case .connectForKey:
            await host.renewConnections()
            return token
        case .reconnect, .retryLater(reconnecting: true):
            await host.renewConnections()
            return nil
        case .stopTopic where answer.reason == .deviceTokenNotForTopic && hasJustAccepted(environment):
            // A token of another app. Anybody can register one: it must not hold up everybody else.
            logger.error("A token is of another app", metadata: metadata)
            return nil
        case .stopSending, .keyRevoked, .stopTopic:
            logger.error("APNs refuses our key or topic: nothing is sent for a minute", metadata: metadata)
            heldUntil[environment] = .now + Self.holdTime
            await host.renewConnections()
            return nil
        case .ourBug, .rebuildSmaller:
            logger.error("APNs calls a push malformed", metadata: metadata)
            return nil
        case .accepted, .tokenDead, .tokenUnknown, .backOffToken, .freezeProviderToken, .retryLater: return nil
        }
    }

    private func hasJustAccepted(_ environment: APNsEnvironment) -> Bool {
        acceptedAt[environment].map { .now - $0 < Self.holdTime } ?? false
    }

    private func template(_ key: TemplateKey, _ authority: String, _ token: String) -> HTTP2HeaderTemplate {
        if templateToken != token || templates.count >= Self.templatesMax {
            templates.removeAll()
            templateToken = token
        }
        if let known = templates[key] { return known }
        let fields =
            [HTTP2Field("authorization", "bearer \(token)", neverIndexed: true)]
            + key.headers.fields.map { HTTP2Field($0.name, $0.value) }
        let template = HTTP2HeaderTemplate(authority: authority, fields: fields)
        templates[key] = template
        return template
    }

    private static func outcome(_ result: PushResult) -> String {
        switch result {
        case .refused: "refused"
        case .withdrawn, .braked: "withdrawn"
        case .unknown: "unknown"
        case .held: "held"
        case .answered(let answer): PushResult.outcome(status: answer.status)
        }
    }
}
