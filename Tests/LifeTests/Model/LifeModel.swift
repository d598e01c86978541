import Activities
import SightscreenModels

/// One match on one phone of one user: what the server knows of it, and what follows from whatever happens.
///
/// Neither clock nor socket nor database: an event and the time come in, the new state is there and what is to be done
/// in the world comes out. The statements of the services do the same in sets; this is what they are compared with.
struct LifeModel: Hashable, Sendable {
    /// What the server knows of the phone.
    struct Phone: Hashable, Sendable {
        /// The user lets the app show Live Activities.
        var allowsActivities: Bool
        var startToken: PushToStartToken?
        var startTokenAt: Moment?
        /// The last one, which APNs called dead, while the app has registered no other.
        var deadStartToken: PushToStartToken?
        /// Those that were replaced, the newest last: a report of one comes too late.
        var formerStartTokens: [PushToStartToken] = []
        var fallback: ModelFallback
        var reconcile: ModelReconcile

        init(
            allowsActivities: Bool = true, startToken: PushToStartToken? = nil, startTokenAt: Moment? = nil,
            deadStartToken: PushToStartToken? = nil, fallback: ModelFallback = ModelFallback(),
            reconcile: ModelReconcile = ModelReconcile()
        ) {
            self.allowsActivities = allowsActivities
            self.startToken = startToken
            self.startTokenAt = startTokenAt
            self.deadStartToken = deadStartToken
            self.fallback = fallback
            self.reconcile = reconcile
        }

        /// A late report is of one of the last few.
        static let formerStartTokensMax = 4

        /// A push can start an activity on it.
        var isCapable: Bool { allowsActivities && startToken != nil }
        var startTokenIsDead: Bool { deadStartToken != nil }
    }

    /// Since when the user follows the match; nil when not.
    var followedAt: Moment?
    var phone: Phone
    var phase: LifePhase
    var phaseSince: Moment
    /// Newest first; at most one has not ended.
    var generations: [ModelGeneration]

    /// Older ones are not looked at: more on one phone are an app that misbehaves.
    static let generationsMax = 64

    init(
        followedAt: Moment? = nil, phone: Phone = Phone(), phase: LifePhase = .notLive,
        phaseSince: Moment = Moment(milliseconds: 0), generations: [ModelGeneration] = []
    ) {
        self.followedAt = followedAt
        self.phone = phone
        self.phase = phase
        self.phaseSince = phaseSince
        self.generations = generations
    }

    var isFollowed: Bool { followedAt != nil }

    /// The generation that has not ended.
    var current: ModelGeneration? { generations.first { $0.status != .ended } }

    /// Takes in what happened.
    /// - Returns: what is to be done once the new state is committed.
    mutating func handle(
        _ event: LifeEvent, at now: Moment, policy: ModelPolicy = ModelPolicy()
    ) -> [LifeIntent] {
        switch event {
        case .followed(let startsLocally): followed(startsLocally, now, policy)
        case .unfollowed: unfollowed(now)
        case .tokenReported(let token, let activity, let start):
            return tokenReported(token, activity, start, now, policy)
        case .tokenTaken(let token): tokenTaken(token, now)
        case .dismissed(let activity, let token): return dismissed(activity, token, now)
        case .appRegistered(let allows, let cards): appRegistered(allows, cards, now, policy)
        case .startTokenReported(let token): startTokenReported(token, now)
        case .phoneLost: phoneLost(now)
        case .startAnswered(let start, let token, let answer): return startAnswered(start, token, answer, now, policy)
        case .updateAnswered(let token, let answer): updateAnswered(token, answer, now)
        case .endAnswered(let token, let answer): endAnswered(token, answer, now, policy)
        case .matchBecame(let phase): return matchBecame(phase, now)
        case .passDue: return passDue(now, policy)
        case .startDue(let start, let sent): return startDue(start, sent, now, policy)
        case .endDue: return endDue(now, policy)
        }
        return []
    }

    // MARK: - Generations

    /// What the rules for tokens and dismissals know.
    func records(_ now: Moment) -> [ActivityGeneration] { generations.map { $0.record(followedAt: followedAt, now) } }

    mutating func change(_ number: Int, _ body: (inout ModelGeneration) -> Void) {
        guard let place = generations.firstIndex(where: { $0.number == number }) else { return }
        body(&generations[place])
    }

    mutating func changeCurrent(_ body: (inout ModelGeneration) -> Void) {
        guard let place = generations.firstIndex(where: { $0.status != .ended }) else { return }
        body(&generations[place])
    }

    /// A new generation in front.
    mutating func add(_ now: Moment, _ body: (inout ModelGeneration) -> Void = { _ in }) {
        var generation = ModelGeneration(number: (generations.first?.number ?? 0) + 1, createdAt: now)
        body(&generation)
        generations.insert(generation, at: 0)
        if generations.count > Self.generationsMax { generations.removeLast() }
    }

    /// What should be shown now.
    var shouldExist: Bool { isFollowed && phase.isInPlay }

    /// The newest card's token has died, and nothing is started by itself before the phone has explained that.
    var isMissing: Bool { generations.first?.card != nil }
}
