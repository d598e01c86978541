import FoundationEssentials
import SightscreenModels
import Testing

@testable import APNsSimulator

struct PushCheckTests {
    private static let bundle = "dev.sightscreen.app"
    private static let now = 1_700_000_000
    private static let token = String(repeating: "ab", count: 32)

    private static let check = PushCheck(
        bundleID: bundle, environment: .production,
        providerToken: ProviderTokenCheck(keyID: "KEY", teamID: "TEAM") { signature, _ in signature == [1, 2, 3] })

    private static func bearer(
        alg: String = "ES256", kid: String = "KEY", iss: String = "TEAM", iat: Int = now,
        signature: [UInt8] = [1, 2, 3]
    ) -> String {
        let parts = [
            Array(#"{"alg":"\#(alg)","kid":"\#(kid)"}"#.utf8), Array(#"{"iss":"\#(iss)","iat":\#(iat)}"#.utf8),
            signature,
        ]
        let text = parts.map { part in
            String(
                Data(part).base64EncodedString().compactMap { character -> Character? in
                    switch character {
                    case "+": "-"
                    case "/": "_"
                    case "=": nil
                    default: character
                    }
                })
        }
        return "bearer " + text.joined(separator: ".")
    }

    private static func good() -> IncomingRequest {
        IncomingRequest(
            method: "POST", path: "/3/device/\(token)",
            fields: [
                .init("authorization", bearer()), .init("apns-topic", "\(bundle).push-type.liveactivity"),
                .init("apns-push-type", "liveactivity"), .init("apns-priority", "5"),
                .init("apns-expiration", "1700000900"), .init("apns-id", "0D5A1F3C-2B64-4F6E-9C1D-0123456789AB"),
            ], body: Array(#"{"aps":{}}"#.utf8))
    }

    private static let known = RegisteredToken(token: token, kind: .update, environment: .production)

    private func answer(
        _ change: (inout IncomingRequest) -> Void, token: RegisteredToken? = Self.known
    ) -> SimulatorAnswer {
        var request = Self.good()
        change(&request)
        return Self.check.answer(to: request, token: token, now: Self.now)
    }

    @Test func aGoodRequestIsAccepted() {
        #expect(answer { _ in } == .accepted)
    }

    @Test(arguments: [
        ("GET", nil, Refusal.methodNotAllowed), ("PUT", nil, .methodNotAllowed), ("POST", "/", .badPath),
        ("POST", "/3/devices/ab", .badPath), ("POST", "/3/device/ab/cd", .badPath), ("POST", "/2/device/ab", .badPath),
        ("POST", "/3/device/", .missingDeviceToken), ("POST", "/3/device", .missingDeviceToken),
    ])
    func whereItGoesIsChecked(method: String, path: String?, reason: Refusal) {
        let answer = answer {
            $0.method = method
            if let path { $0.path = path }
        }
        #expect(answer == SimulatorAnswer(reason))
    }

    @Test(arguments: [
        (nil, Refusal.missingProviderToken), ("", .missingProviderToken), ("bearer", .invalidProviderToken),
        ("bearer x", .invalidProviderToken), ("bearer a.b.c", .invalidProviderToken),
        ("basic abc", .invalidProviderToken),
        (bearer(alg: "HS256"), .invalidProviderToken), (bearer(alg: "none"), .invalidProviderToken),
        (bearer(kid: "OTHER"), .invalidProviderToken), (bearer(iss: "OTHER"), .invalidProviderToken),
        (bearer(signature: [3, 2, 1]), .invalidProviderToken), (bearer(signature: []), .invalidProviderToken),
        (bearer(iat: now + 61), .invalidProviderToken), (bearer(iat: now - 3_600), .expiredProviderToken),
        (bearer(iat: now - 3_600, signature: [9]), .invalidProviderToken),
    ])
    func whoSendsItIsChecked(authorization: String?, reason: Refusal) {
        let answer = answer { request in
            request.fields.removeAll { $0.name == "authorization" }
            if let authorization { request.fields.append(.init("authorization", authorization)) }
        }
        #expect(answer == SimulatorAnswer(reason))
    }

    @Test(arguments: [now - 3_599, now + 60])
    func aProviderTokenLivesAnHour(issuedAt: Int) {
        let answer = answer { $0.fields[0].value = Self.bearer(iat: issuedAt) }
        #expect(answer == .accepted)
    }

    /// Field, value (nil: without it), reason (nil: accepted).
    static let fields: [(String, String?, Refusal?)] = [
        ("apns-push-type", nil, .invalidPushType), ("apns-push-type", "push-to-start", .invalidPushType),
        ("apns-push-type", "background", .badTopic), ("apns-topic", nil, .missingTopic),
        ("apns-topic", "", .missingTopic), ("apns-topic", bundle, .badTopic), ("apns-topic", "two words", .badTopic),
        ("apns-topic", "dev.other.push-type.liveactivity", .topicDisallowed), ("apns-priority", nil, nil),
        ("apns-priority", "1", nil), ("apns-priority", "10", nil), ("apns-priority", "7", .badPriority),
        ("apns-priority", "high", .badPriority), ("apns-priority", "", .badPriority),
        ("apns-priority", "5.0", .badPriority),
        ("apns-expiration", nil, nil), ("apns-expiration", "0", nil), ("apns-expiration", "-1", .badExpirationDate),
        ("apns-expiration", "soon", .badExpirationDate), ("apns-expiration", "1.5", .badExpirationDate),
        ("apns-expiration", "", .badExpirationDate), ("apns-id", nil, nil), ("apns-id", "1", .badMessageID),
        ("apns-id", "0D5A1F3C2B644F6E9C1D0123456789AB", .badMessageID),
        ("apns-collapse-id", String(repeating: "c", count: 64), nil),
        ("apns-collapse-id", String(repeating: "c", count: 65), .badCollapseID),
        ("apns-collapse-id", String(repeating: "é", count: 33), .badCollapseID),
    ]

    @Test(arguments: fields)
    func itsHeadersAreChecked(name: String, value: String?, reason: Refusal?) {
        let answer = answer { request in
            request.fields.removeAll { $0.name == name }
            if let value { request.fields.append(.init(name, value)) }
        }
        #expect(answer == reason.map { SimulatorAnswer($0) } ?? .accepted)
    }

    @Test(arguments: ["apns-topic", "apns-priority", "apns-id", "apns-expiration", "apns-push-type"])
    func aHeaderSentTwiceIsRefused(name: String) {
        let answer = answer { $0.fields.append(.init(name, $0.field(name) ?? "")) }
        #expect(answer == SimulatorAnswer(.duplicateHeaders))
    }

    @Test(arguments: [
        ("", Refusal.payloadEmpty), ("{}", .payloadEmpty), ("[]", .payloadEmpty), ("no json", .payloadEmpty),
        (#"{"aps":1}"#, .payloadEmpty), (#"{"aps":{}"#, .payloadEmpty),
        (String(repeating: " ", count: 4_097), .payloadTooLarge),
    ])
    func itsPayloadIsChecked(body: String, reason: Refusal) {
        let answer = answer { $0.body = Array(body.utf8) }
        #expect(answer == SimulatorAnswer(reason))
    }

    @Test func aPayloadOfExactlyTheLimitIsAccepted() {
        let json = #"{"aps":{}}"#
        let answer = answer { $0.body = Array((json + String(repeating: " ", count: 4_096 - json.utf8.count)).utf8) }
        #expect(answer == .accepted)
    }

    @Test func aTokenIsKnownOnlyInItsOwnEnvironment() {
        #expect(answer({ _ in }, token: nil) == SimulatorAnswer(.badDeviceToken))
        let sandbox = RegisteredToken(token: Self.token, kind: .update, environment: .sandbox)
        #expect(answer({ _ in }, token: sandbox) == SimulatorAnswer(.badDeviceToken))
    }

    @Test func aTokenOfTheAppDoesNotGoWithTheTopicOfActivities() {
        let device = RegisteredToken(token: Self.token, kind: .device, environment: .production)
        #expect(answer({ _ in }, token: device) == SimulatorAnswer(.deviceTokenNotForTopic))
        let toApp: (inout IncomingRequest) -> Void = { request in
            request.fields.removeAll { $0.name == "apns-topic" || $0.name == "apns-push-type" }
            request.fields += [.init("apns-topic", Self.bundle), .init("apns-push-type", "background")]
        }
        #expect(answer(toApp, token: Self.known) == SimulatorAnswer(.deviceTokenNotForTopic))
        #expect(answer(toApp, token: device) == .accepted)
    }

    @Test func aTokenOfAnotherAppDoesNotGoWithOurTopics() {
        for kind in PushTokenKind.allCases {
            let other = RegisteredToken(
                token: Self.token, kind: kind, environment: .production, bundle: "com.other.app")
            #expect(answer({ _ in }, token: other) == SimulatorAnswer(.deviceTokenNotForTopic))
        }
        let named = RegisteredToken(token: Self.token, kind: .update, environment: .production, bundle: Self.bundle)
        #expect(answer({ _ in }, token: named) == .accepted)
    }

    @Test func aBackgroundPushMustNotHurry() {
        let device = RegisteredToken(token: Self.token, kind: .device, environment: .production)
        for priority in ["10", nil] {
            let answer = answer(
                { request in
                    request.fields.removeAll { ["apns-topic", "apns-push-type", "apns-priority"].contains($0.name) }
                    request.fields += [.init("apns-topic", Self.bundle), .init("apns-push-type", "background")]
                    if let priority { request.fields.append(.init("apns-priority", priority)) }
                }, token: device)
            #expect(answer == SimulatorAnswer(.badPriority))
        }
    }

    @Test func aDeletedTokenIsGoneSinceThen() {
        var gone = Self.known
        gone.deletedAtMs = 1_699_999_999_123
        let answer = answer({ _ in }, token: gone)
        #expect(answer == SimulatorAnswer(.unregistered, timestampMs: 1_699_999_999_123))
        #expect(String(decoding: answer.body, as: UTF8.self) == #"{"reason":"Unregistered","timestamp":1699999999123}"#)
    }

    @Test func aTokenIsComparedWithoutRegardToCase() {
        #expect(answer { $0.path = "/3/device/\(Self.token.uppercased())" } == .accepted)
        #expect(IncomingRequest(method: "POST", path: "/3/device/ABCD", fields: [], body: []).token == "abcd")
    }
}
