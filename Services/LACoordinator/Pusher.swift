import APNsProtocol
import Activities
import HTTP2
import Logging
import Metrics
import Reactor
import SightscreenModels

/// Sends pushes to the right APNs host with the shared provider token, and reacts to what concerns all of them: an
/// expired token, a refused key, a host in trouble.
actor Pusher {
    private static let timeout = Duration.seconds(10)
    /// A host that has taken a push so lately does not refuse all of us.
    private static let acceptedLately = Duration.seconds(60)
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
    /// The last two.
    private var shownTokens: [String] = []
    /// Connections were given up because APNs did not take this token.
    private var rejected = ""
    private var breakers: [APNsEnvironment: HostBreaker] = [.production: HostBreaker(), .sandbox: HostBreaker()]
    /// Pushes so far.
    private var number = 0
    /// When a push was last taken: key and topic were right then.
    private var acceptedAt: [APNsEnvironment: ContinuousClock.Instant] = [:]

    init(configuration: LACoordinatorConfiguration.APNs, tokens: ProviderTokenSource, reactor: Reactor, logger: Logger)
    {
        self.tokens = tokens
        self.logger = logger
        var hosts: [APNsEnvironment: APNsHost] = [:]
        for (environment, origin) in [
            (APNsEnvironment.production, configuration.production), (.sandbox, configuration.sandbox),
        ] {
            hosts[environment] = APNsHost(
                origin: origin, environment: environment, tls: configuration.tls, reactor: reactor, connectionsMax: 2,
                logger: logger)
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

    func lines(to environment: APNsEnvironment) async -> FanOutMeasure.Lines {
        await hosts[environment]?.lines ?? FanOutMeasure.Lines()
    }

    func close() async {
        for host in hosts.values { await host.close() }
    }

    private func send(
        _ environment: APNsEnvironment, _ path: String, _ headers: APNsHeaders, _ payload: PushPayload,
        _ gate: PushGate, _ level: HoldLevel
    ) async -> PushResult {
        if gate.isHeld(level) { return .withdrawn }
        guard breakers[environment]?.letsThrough(MonotonicTime.now) == true, let host = hosts[environment] else {
            return .held
        }
        number += 1
        let tag = number
        breakers[environment]?.sent(tag)
        var token: String
        do { token = try await tokens.current() } catch {
            logger.warning("No provider token", metadata: ["error": "\(error)"])
            breakers[environment]?.lost(tag, now: MonotonicTime.now)
            return .refused
        }
        var repeats = 1
        while true {
            await show(token)
            let template = template(TemplateKey(environment: environment, headers: headers), host.authority, token)
            let outcome = await host.push(
                path: path, headers: template, body: payload.bytes, timeout: Self.timeout,
                isStillWanted: { gate.isOpen(unlessHeld: level) })
            guard case .response(let response) = outcome else {
                breakers[environment]?.lost(tag, now: MonotonicTime.now)
                switch outcome {
                case .withdrawn: return .withdrawn
                case .unknown: return .unknown
                case .refused, .response: return .refused
                }
            }
            var answer = APNsAnswer(status: response.status, body: response.body)
            answer.retryAfter = response.retryAfter
            guard let next = await react(to: answer, tag, environment, host, token), repeats > 0 else {
                return .answered(answer)
            }
            repeats -= 1
            token = next
        }
    }

    /// Does what an answer asks of all pushes.
    /// - Returns: the token with which this push goes out once more, if it does.
    private func react(
        to answer: APNsAnswer, _ tag: Int, _ environment: APNsEnvironment, _ host: APNsHost, _ token: String
    ) async -> String? {
        let metadata: Logger.Metadata = [
            "apns.status": "\(answer.status)", "apns.reason": "\(answer.reasonText ?? "")",
            "apns.host": "\(host.authority)",
        ]
        let verdict = UpdateVerdict(answer)
        let now = MonotonicTime.now
        switch verdict.host {
        case .newToken, .olderToken:
            return await another(than: token, verdict.host, tag, environment, host)
        case .goOn, .throttles:
            if answer.action == .accepted { acceptedAt[environment] = .now }
            if verdict.phone == .leaveOut { logger.error("APNs calls a push malformed", metadata: metadata) }
            if breakers[environment]?.answeredWell(tag) == true {
                logger.notice("APNs takes pushes again", metadata: metadata)
            }
        case .error:
            if breakers[environment]?.answeredWithError(tag, retryAfter: answer.retryAfter, now: now) == true {
                logger.warning(
                    "APNs is in trouble: nothing but a push now and then goes there", metadata: metadata)
            }
        case .stopUnlessItTakesOthers where hasJustAccepted(environment):
            // A token of another app. Anybody can register one: it must not hold up everybody else.
            logger.error("A token is of another app", metadata: metadata)
            breakers[environment]?.lost(tag, now: now)
        case .stop, .stopUnlessItTakesOthers:
            guard breakers[environment]?.stop(for: .refusal, tag, now: now) == true else { return nil }
            logger.error("APNs refuses our key or topic: nothing is sent for a minute", metadata: metadata)
            await host.renewConnections()
        }
        if verdict.endsConnection { await host.renewConnections() }
        return answer.action == .connectForKey ? token : nil
    }

    /// Without another token nothing is sent for a while: this one is known not to be taken.
    private func another(
        than token: String, _ wish: UpdateVerdict.ForHost, _ tag: Int, _ environment: APNsEnvironment, _ host: APNsHost
    ) async -> String? {
        let other = try? await (wish == .newToken ? tokens.replacement(for: token) : tokens.older(than: token))
        if wish == .newToken, rejected != token {
            rejected = token
            // Connections have been seen that took no token any more after that.
            await host.renewConnections()
        }
        if let other, other != token { return other }
        _ = breakers[environment]?.stop(for: .providerToken, tag, now: MonotonicTime.now)
        return nil
    }

    /// A connection shows no two new tokens within 20 minutes: the young ones go.
    private func show(_ token: String) async {
        guard !shownTokens.contains(token) else { return }
        let isFirst = shownTokens.isEmpty
        shownTokens = shownTokens.suffix(1) + [token]
        guard !isFirst else { return }
        for (environment, breaker) in breakers where breaker.cause == .providerToken {
            breakers[environment]?.resume()
        }
        for host in hosts.values { await host.renewYoungConnections() }
    }

    private func hasJustAccepted(_ environment: APNsEnvironment) -> Bool {
        acceptedAt[environment].map { .now - $0 < Self.acceptedLately } ?? false
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
        let template = HTTP2HeaderTemplate(authority: authority, fields: fields, uniqueField: APNsHeaders.idField)
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
