import FoundationEssentials
import HTTPClient
public import SightscreenModels

/// Phones of a few users: they register, follow, take what apns-simulator delivered to them, and post an update token a
/// second after a start. The world they live in is the gateway's HTTP API and Apple; nothing else.
public actor PhoneFleet {
    public struct Entry: Sendable {
        public let delivery: PushDelivery
        public let phone: Int
        public let effect: SimulatedPhone.Effect
    }

    public static let tokenDelay = Duration.seconds(1)

    public private(set) var phones: [SimulatedPhone] = []
    /// All that was delivered to these phones, in order.
    public private(set) var history: [Entry] = []

    private let gateway: GatewayClient
    private let apns: SimulatorClient
    private let bearer: [String: String]
    private var seen = 0
    private var posts: [Task<Void, Never>] = []
    private var failures: [String] = []

    /// - Parameters:
    ///   - users: each with a bearer token and how many phones.
    ///   - listeners: the users whose phones can listen to broadcast channels.
    public init(
        users: [(name: String, bearerToken: String, phones: Int)], listeners: Set<String> = [],
        gateway: GatewayClient, apns: SimulatorClient
    ) {
        self.gateway = gateway
        self.apns = apns
        bearer = Dictionary(uniqueKeysWithValues: users.map { ($0.name, $0.bearerToken) })
        for user in users {
            for number in 1...max(user.phones, 1) {
                phones.append(
                    SimulatedPhone(
                        user: user.name, device: DeviceID("\(user.name)-phone-\(number)"),
                        startToken: PushToStartToken(Self.randomHex(40)), deviceToken: DeviceToken(Self.randomHex(32)),
                        subscriber: listeners.contains(user.name) ? Self.randomHex(16) : nil))
            }
        }
    }

    /// What went wrong on the phones' side, for the summary.
    public var problems: [String] { failures }

    /// Every phone makes itself known to Apple and to the gateway.
    public func register() async throws {
        for phone in phones {
            try await apns.register(phone.startToken.rawValue, kind: "start")
            try await apns.register(phone.deviceToken.rawValue, kind: "device")
            try await gateway.registerDevice(phone, bearer: token(of: phone))
            try await gateway.registerStartToken(phone, bearer: token(of: phone))
        }
    }

    /// Every user follows the match.
    /// - Parameter alerts: the levels of users who do not want all alerts.
    public func follow(_ match: MatchID, alerts: [String: AlertLevel] = [:]) async throws {
        for (user, token) in bearer.sorted(by: { $0.key < $1.key }) {
            do {
                try await gateway.follow(match, alerts: alerts[user] ?? .all, bearer: token)
            } catch {
                throw GatewayClient.Failure("\(user) cannot follow \(match): \(error)")
            }
        }
    }

    public func unfollow(_ match: MatchID, user: String) async throws {
        guard let token = bearer[user] else { return }
        try await gateway.unfollow(match, bearer: token)
    }

    /// Takes what came since the last call.
    @discardableResult
    public func receive() async throws -> [Entry] {
        var entries: [Entry] = []
        for delivery in try await apns.deliveries(since: seen) {
            seen = max(seen, delivery.seq)
            guard delivery.isAccepted, let index = phones.firstIndex(where: { $0.has(delivery.token) }) else {
                continue
            }
            let effect = phones[index].receive(
                delivery, newActivityID: ActivityID("activity-\(Self.randomHex(8))"))
            if case .started(let activity) = effect {
                if let channel = phones[index].activities[activity].channel {
                    try await listen(phone: index, activity: activity, channel)
                } else {
                    postUpdateToken(phone: index, activity: activity)
                }
            }
            let entry = Entry(delivery: delivery, phone: index, effect: effect)
            entries.append(entry)
            history.append(entry)
        }
        return entries
    }

    /// Waits for the posts of update tokens that are still on their way.
    public func settle() async {
        for post in posts { await post.value }
        posts = []
    }

    // MARK: -

    private func token(of phone: SimulatedPhone) -> String { bearer[phone.user] ?? "" }

    /// iOS subscribes the activity; the app reports it when it runs.
    private func listen(phone index: Int, activity: Int, _ channel: String) async throws {
        guard let subscriber = phones[index].subscriber else { return }
        try await apns.subscribe(subscriber, to: channel)
        posts.append(
            Task {
                try? await Task.sleep(for: Self.tokenDelay)
                await untilTaken(phone: index, "its report") {
                    try await gateway.report(
                        phone: phones[index], activity: activity, channel: channel,
                        bearer: token(of: phones[index]))
                }
            })
    }

    private func postUpdateToken(phone index: Int, activity: Int) {
        posts.append(
            Task {
                try? await Task.sleep(for: Self.tokenDelay)
                let updateToken = UpdateToken(Self.randomHex(32))
                await untilTaken(phone: index, "its update token") {
                    if phones[index].activities[activity].updateToken == nil {
                        try await apns.register(updateToken.rawValue, kind: "update")
                        phones[index].setUpdateToken(updateToken, of: activity)
                    }
                    try await gateway.postUpdateToken(
                        updateToken, phone: phones[index], activity: activity, bearer: token(of: phones[index]))
                }
            })
    }

    /// Like an app that is launched for it: tries again until the gateway has taken it.
    private func untilTaken(phone index: Int, _ what: String, _ body: () async throws -> Void) async {
        for attempt in 1...60 {
            do { return try await body() } catch {
                if attempt == 60 { failures.append("\(phones[index].device): \(what) is refused: \(error)") }
                try? await Task.sleep(for: .milliseconds(500))
            }
        }
    }

    static func randomHex(_ bytes: Int) -> String {
        (0..<bytes).map { _ in
            let byte = UInt8.random(in: .min ... .max)
            return (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }.joined()
    }
}
