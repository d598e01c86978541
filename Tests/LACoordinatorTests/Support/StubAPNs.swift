import APNsProtocol
import FoundationEssentials
import HTTP2
import Reactor
import SightscreenModels

@testable import APNsSimulator

/// An APNs that takes everything unless a test says otherwise, and remembers it.
actor StubAPNs {
    struct Push: Sendable {
        var token: String
        var priority: Int
        var pushType: String
        var topic: String
        var expiration: Int
        var collapseID: String?
        var id: String?
        var authorization: String
        var event: String
        var timestamp: Int
        var version: Int
        var alert: String?
        var alertBody: String?
        var sound: String?
        var staleAt: Int?
        var dismissAt: Int?
        var attributes: [String: String]
        /// Of a start: the channel that the activity is to listen to.
        var inputChannel: String?
        var headers: [String: String]
        var wakesApp: Bool
        /// Of those that were made to it.
        var connection: HTTP2ConnectionID
        /// What Apple would answer to it, whatever the token.
        var verdict: APNsAnswer
    }

    typealias Script = @Sendable (Push, Int) async -> HTTP2Reply

    nonisolated let origin: HTTP2Origin
    private let reactor: Reactor
    private let server: HTTP2Server
    private let log: Log

    private actor Log {
        var pushes: [Push] = []
        /// By token.
        private var counts: [String: Int] = [:]
        var script: Script?
        func append(_ push: Push) -> (Script?, Int) {
            pushes.append(push)
            counts[push.token, default: 0] += 1
            return (script, counts[push.token] ?? 0)
        }
        func set(_ script: Script?) { self.script = script }

        var channels: [String] = []
        var channelRefusal: APNsReason?
        func refuseChannels(_ reason: APNsReason?) { channelRefusal = reason }

        func manage(_ request: HTTP2Request) -> HTTP2Reply {
            if let channelRefusal { return refusal(channelRefusal) }
            switch request.method {
            case "POST":
                channels.append(Data("channel \(channels.count)".utf8).base64EncodedString())
                return .respond(
                    HTTP2Response(
                        status: 201, headers: [HTTP2Field("apns-channel-id", channels.last ?? "")], body: []))
            case "DELETE":
                channels.removeAll { $0 == request.headers["apns-channel-id"] }
                return .respond(HTTP2Response(status: 204))
            default:
                let list = channels.map { "\"\($0)\"" }.joined(separator: ",")
                return .respond(HTTP2Response(status: 200, body: Array("{\"channels\":[\(list)]}".utf8)))
            }
        }
    }

    static let accepted = HTTP2Reply.respond(HTTP2Response(status: 200))

    static func refusal(_ reason: APNsReason, timestampMs: Int64? = nil, retryAfter: Int? = nil) -> HTTP2Reply {
        let answer = APNsAnswer(reason, timestampMs: timestampMs)
        return .respond(
            HTTP2Response(
                status: answer.status, headers: retryAfter.map { [HTTP2Field("retry-after", "\($0)")] } ?? [],
                body: answer.body))
    }

    private init(reactor: Reactor, server: HTTP2Server, log: Log) {
        self.reactor = reactor
        self.server = server
        self.log = log
        origin = HTTP2Origin(host: "127.0.0.1", port: server.port)
    }

    /// - Parameter streamsMax: pushes under way on one connection; the others wait for their turn.
    static func start(_ credentials: Credentials, streamsMax: Int = 1_000) async throws -> StubAPNs {
        let reactor = Reactor(name: "stub-apns")
        let log = Log()
        let tls = try TLSConfiguration.server(
            certificateFile: credentials.certificateFile, keyFile: credentials.certificateKeyFile
        ).makeContext()
        let server = try await HTTP2Server.start(
            host: "127.0.0.1", port: 0, tls: tls, reactor: reactor, settings: .init(concurrentStreamsMax: streamsMax)
        ) { request in
            if request.path.hasPrefix("/1/apps/") { return await log.manage(request) }
            guard let push = parse(request) else { return refusal(.payloadEmpty) }
            let (script, count) = await log.append(push)
            return await script?(push, count) ?? accepted
        }
        return StubAPNs(reactor: reactor, server: server, log: log)
    }

    /// What to answer from now on: the push, and how many its token has had with this one. Nil: 200.
    func answer(_ script: Script?) async { await log.set(script) }

    /// The channels that were made and not deleted.
    var channels: [String] { get async { await log.channels } }

    /// Refuses to make or delete channels from now on; nil: no longer.
    func refuseChannels(_ reason: APNsReason?) async { await log.refuseChannels(reason) }

    var pushes: [Push] { get async { await log.pushes } }

    func pushes(to token: String) async -> [Push] { await log.pushes.filter { $0.token == token } }

    /// Those that are open.
    var connections: [HTTP2ConnectionID] { get async { await server.connectionIDs } }

    /// Closes them without a word.
    func disconnectAll() async { for id in await connections { await server.disconnect(id) } }

    func stop() async {
        // A script may hold what holds us.
        await log.set(nil)
        await server.close(timeout: .milliseconds(100))
        try? await Task.sleep(for: .milliseconds(30))
        reactor.stop()
    }

    private static func parse(_ request: HTTP2Request) -> Push? {
        struct Body: Decodable {
            struct APS: Decodable {
                struct Alert: Decodable {
                    var title: String
                    var body: String?
                    var sound: String?
                }
                struct State: Decodable { var version: Int }
                struct Attributes: Decodable {
                    var matchId: String
                    var startId: String
                    var homeAbbr: String
                    var followedTeamId: String?
                    var homeLogo: String?
                    var awayLogo: String?
                }
                /// Nil of what goes to the app itself.
                var event: String?
                var timestamp: Int?
                var alert: Alert?
                var attributes: Attributes?
                var state: State?
                var staleAt: Int?
                var dismissAt: Int?
                var wakesApp: Int?
                var inputChannel: String?
                enum CodingKeys: String, CodingKey {
                    case event, timestamp, alert, attributes
                    case wakesApp = "content-available"
                    case inputChannel = "input-push-channel"
                    case state = "content-state"
                    case staleAt = "stale-date"
                    case dismissAt = "dismissal-date"
                }
            }
            var aps: APS
        }
        guard let aps = try? JSONDecoder().decode(Body.self, from: Data(request.body)).aps else { return nil }
        var attributes: [String: String] = [:]
        if let sent = aps.attributes {
            attributes = ["matchId": sent.matchId, "startId": sent.startId, "homeAbbr": sent.homeAbbr]
            attributes["followedTeamId"] = sent.followedTeamId
            attributes["homeLogo"] = sent.homeLogo
            attributes["awayLogo"] = sent.awayLogo
        }
        return Push(
            token: request.headers["apns-channel-id"] ?? String(request.path.dropFirst("/3/device/".count)),
            priority: Int(request.headers["apns-priority"] ?? "") ?? 0,
            pushType: request.headers["apns-push-type"] ?? "", topic: request.headers["apns-topic"] ?? "",
            expiration: Int(request.headers["apns-expiration"] ?? "") ?? 0,
            collapseID: request.headers["apns-collapse-id"], id: request.headers["apns-id"],
            authorization: request.headers["authorization"] ?? "",
            event: aps.event ?? "", timestamp: aps.timestamp ?? 0, version: aps.state?.version ?? 0,
            alert: aps.alert?.title, alertBody: aps.alert?.body, sound: aps.alert?.sound, staleAt: aps.staleAt,
            dismissAt: aps.dismissAt, attributes: attributes, inputChannel: aps.inputChannel,
            headers: Dictionary(
                request.headers.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first }),
            wakesApp: aps.wakesApp == 1, connection: request.connection,
            verdict: verdict(request, isForApp: aps.event == nil))
    }

    private static func verdict(_ request: HTTP2Request, isForApp: Bool) -> APNsAnswer {
        let fields = [
            "apns-push-type", "apns-topic", "apns-priority", "apns-expiration", "apns-collapse-id", "apns-id",
        ]
        let asked = IncomingRequest(
            method: request.method, path: request.path,
            fields: fields.compactMap { name in request.headers[name].map { .init(name, $0) } }, body: request.body)
        let check = PushCheck(
            bundleID: "dev.sightscreen.app", environment: .production,
            providerToken: .init(keyID: "", teamID: "") { _, _ in true })
        let answer = check.answerToAuthorized(
            asked,
            token: RegisteredToken(
                token: asked.token ?? "", kind: isForApp ? .device : .update, environment: .production))
        return APNsAnswer(status: answer.status, reasonText: answer.reason, timestampMs: answer.timestampMs)
    }
}
