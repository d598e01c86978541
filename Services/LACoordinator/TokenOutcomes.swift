import Activities
import APNsProtocol
import FanOut
import HTTP2
import Logging
import Metrics
import SightscreenModels
import Store

/// A claimed push to a start or device token, whose answer says something about that token.
enum CandidateClaim: Sendable {
    case start(StartClaim)
    case fallback(FallbackClaim)

    var environment: APNsEnvironment {
        switch self {
        case .start(let claim): claim.environment
        case .fallback(let claim): claim.environment
        }
    }

    /// The account that answers for the token and its host.
    var user: UserID {
        switch self {
        case .start(let claim): claim.key.userID
        case .fallback(let claim): claim.purpose.strangersHost ?? claim.userID
        }
    }

    var isProven: Bool {
        switch self {
        case .start(let claim): claim.isProven
        case .fallback(let claim): claim.isProven
        }
    }

    /// The topic of the push.
    var topic: PushTopic {
        switch self {
        case .start: .liveActivities
        case .fallback: .app
        }
    }

    var target: PushTarget {
        let path =
            switch self {
            case .start(let claim): APNsHeaders.path(token: claim.token)
            case .fallback(let claim): APNsHeaders.path(token: claim.token)
            }
        return PushTarget(path: path, user: user, isProven: isProven)
    }

    var token: ActivityStore.ProvenToken {
        switch self {
        case .start(let claim): .start(claim.token, claim.key.userID, claim.key.deviceID)
        case .fallback(let claim): .device(claim.token, claim.userID, claim.deviceID)
        }
    }
}

/// The kinds of push token, as values of a metric's label.
enum TokenKind: String, CaseIterable { case update, start, device }

/// Collects what APNs says about tokens until it is written: update tokens that are dead, start and device tokens that
/// had their first 200, and start and device tokens that APNs calls bad or not for our topic. The push to such a token
/// is due again in a minute or later, unless the token is rejected and retired before.
actor TokenOutcomes {
    /// The most tokens that one pass retires, so that starts do not wait for it; APNs calls the others bad again.
    private static let retiredMax = 200

    private let store: ActivityStore
    private let logger: Logger
    private var badTokens: [APNsEnvironment: BadTokenDetector<CandidateClaim>] = [:]
    private var topics: [APNsEnvironment: TopicDetector] = [:]
    /// Tokens of other apps that are to be retired.
    private var otherApps: [CandidateClaim] = []
    private var proven: [ActivityStore.ProvenToken] = []
    private var dead: [DeadToken] = []
    private var rejectedEnds: [EndedToken] = []
    private var isFailing = false

    init(store: ActivityStore, logger: Logger) {
        self.store = store
        self.logger = logger
    }

    func noteGood(_ claim: CandidateClaim) {
        badTokens[claim.environment, default: .init(now: MonotonicTime.now)].noteGood(isProven: claim.isProven)
        topics[claim.environment, default: .init()].accepted(
            claim.topic, of: RosterKey.account(of: claim.user), now: MonotonicTime.now)
        if !claim.isProven { proven.append(claim.token) }
    }

    func noteBad(_ claim: CandidateClaim) {
        badTokens[claim.environment, default: .init(now: MonotonicTime.now)].noteBad(
            claim, of: RosterKey.account(of: claim.user), isProven: claim.isProven)
    }

    /// Takes in that APNs calls a token not for our topic. The connection pool finds out whether the topic is wrong.
    /// - Returns: the seconds after which the push may go out again.
    func noteNotForTopic(_ claim: CandidateClaim) -> Int {
        var detector = topics[claim.environment] ?? TopicDetector()
        defer { topics[claim.environment] = detector }
        if detector.refused(claim.target, claim.topic, now: MonotonicTime.now) == .otherApp { otherApps.append(claim) }
        return detector.wait(now: MonotonicTime.now)
    }

    /// Takes in dead update tokens. They are retired in the table, because an activity that is active there and gets
    /// nothing would keep its follower from another start.
    func noteDead(_ tokens: [DeadToken]) {
        dead += tokens
    }

    /// Takes in tokens of ends that a loop's detector rejected.
    func noteRejected(_ tokens: [EndedToken]) { rejectedEnds += tokens }

    /// Writes all outcomes. What cannot be written now is tried again at the next call; a process that takes over
    /// learns it anew from APNs.
    func write() async {
        do {
            try await retireDead()
            try await rejectEnds()
            try await prove()
            try await retireBad()
            isFailing = false
        } catch {
            if !isFailing {
                logger.warning("Outcomes of tokens cannot be written yet", metadata: ["error": "\(error)"])
            }
            isFailing = true
        }
    }

    private func retireDead() async throws {
        guard !dead.isEmpty else { return }
        let tokens = dead
        count(try await store.retire(tokens), .update)
        dead.removeFirst(tokens.count)
    }

    private func rejectEnds() async throws {
        guard !rejectedEnds.isEmpty else { return }
        let tokens = rejectedEnds
        try await store.reject(tokens)
        count(tokens.count, .update)
        rejectedEnds.removeFirst(tokens.count)
    }

    private func prove() async throws {
        guard !proven.isEmpty else { return }
        let tokens = proven
        try await store.prove(tokens)
        proven.removeFirst(tokens.count)
    }

    private func retireBad() async throws {
        for environment in APNsEnvironment.allCases {
            let believed = badTokens[environment]?.evaluate(now: MonotonicTime.now) ?? []
            for candidate in believed.prefix(Self.retiredMax) { try await retire(candidate) }
        }
        let rejected = Array(otherApps.prefix(Self.retiredMax))
        for candidate in rejected { try await retire(candidate) }
        otherApps.removeFirst(rejected.count)
    }

    private func retire(_ candidate: CandidateClaim) async throws {
        switch candidate {
        case .start(let claim): if try await store.retireBadStartToken(claim) { count(1, .start) }
        case .fallback(let claim): if try await store.retireBadDeviceToken(claim) { count(1, .device) }
        }
    }

    private func count(_ count: Int, _ kind: TokenKind) {
        Counter(label: "sightscreen_bad_tokens_retired_total", dimensions: [("kind", kind.rawValue)])
            .increment(by: Int64(count))
    }
}
