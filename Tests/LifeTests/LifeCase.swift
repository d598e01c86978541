import LACoordinator
import Activities
import SightscreenModels
import Store
import TestKit

/// One user with one phone and one match: the life as the rules see it, and what is still under way.
struct LifeCase: Sendable {
    static let device = DeviceID("phone")

    let number: Int
    /// Of the match's place.
    let match: Int
    let matchID: MatchID
    var life: LifeModel
    /// Starts and ends that were sent and have no answer yet.
    var starts: [StartClaim] = []
    var ends: [EndClaim] = []
    /// What happened, as it is told when something differs.
    var story: [String] = []
    /// Nothing more is compared.
    var isBroken = false

    private var random: SeededGenerator
    /// How much happens to it.
    private let restlessness: Double
    /// Its phone answers to nothing, and its user follows and unfollows.
    private let isDeaf: Bool
    private var named = 0

    var user: UserID { UserID("user\(number)") }
    /// Another one each time.
    var thief: UserID { UserID("thief\(number)x\(named)") }

    init(number: Int, match: Int, matchID: MatchID, begin: Moment, seed: UInt64) {
        (self.number, self.match, self.matchID) = (number, match, matchID)
        random = SeededGenerator(seed: seed &* 1_000_003 &+ UInt64(number))
        restlessness = [0.05, 0.15, 0.3, 0.7].randomElement(using: &random) ?? 0.5
        isDeaf = random.chance(0.1)
        life = LifeModel(phaseSince: begin)
    }

    func key(_ generation: Int) -> ActivityKey {
        ActivityKey(matchID: matchID, userID: user, deviceID: Self.device, generation: generation)
    }

    private mutating func fresh(_ prefix: String) -> String {
        named += 1
        return "\(prefix)\(number)x\(named)"
    }

    mutating func chance(_ probability: Double) -> Bool { random.chance(probability) }

    // MARK: - What happens next

    /// Something that the user, the phone, another user or a late answer of APNs does; nil for nothing.
    mutating func happening(_ now: Moment) -> LifeEvent? {
        let current = life.current
        if isDeaf { return deafHappening() }
        if life.phone.startToken == nil, random.chance(0.3) { return .startTokenReported(startToken()) }
        if !life.isFollowed, random.chance(0.3) { return .followed(startsLocally: random.chance(0.3)) }
        // A start is answered, mostly.
        if let current, current.status == .pending, current.start.isLeased(now), random.chance(0.5) {
            return token(now)
        }
        // Some phones are asked, and answer.
        if life.generations.first?.card == .unknown, random.chance(0.3) {
            return .appRegistered(allows: nil, cards: cards(now))
        }
        // A refused start's lease goes on; some users then forbid it altogether.
        if let current, current.start.givenUpAt != nil, current.start.isLeased(now), random.chance(0.3) {
            return .appRegistered(allows: random.chance(0.5), cards: random.chance(0.5) ? nil : cards(now))
        }
        guard random.chance(restlessness) else { return nil }
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<12: return .followed(startsLocally: random.chance(0.4))
        case 12..<20: return .unfollowed
        case 20..<50: return token(now)
        case 50..<56: return dismissal()
        case 56..<70:
            return .appRegistered(
                allows: random.chance(0.3) ? nil : random.chance(0.85), cards: random.chance(0.3) ? nil : cards(now))
        case 70..<78: return .startTokenReported(startToken())
        case 78..<81: return .phoneLost
        case 81..<84:
            // Nobody can take one to a match that is over.
            guard life.phase != .ended, let token = knownToken() else { return nil }
            _ = fresh("thief")
            return .tokenTaken(token)
        case 84..<90:
            guard let token = random.chance(0.85) ? current?.token : knownToken() else { return nil }
            return .updateAnswered(token, .tokenDead(since: since(current?.tokenAt, now)))
        case 90..<95: return startAnswer(now)
        default: return endAnswer()
        }
    }

    /// Three starts for each of its generations, until the hour's are used up.
    private mutating func deafHappening() -> LifeEvent? {
        if life.phone.startToken == nil { return .startTokenReported(startToken()) }
        if !life.isFollowed { return .followed(startsLocally: false) }
        if life.current?.start.tries == ModelStarts.triesMax, random.chance(0.6) { return .unfollowed }
        return random.chance(0.05) ? .appRegistered(allows: nil, cards: nil) : nil
    }

    /// What the phone says it shows.
    private mutating func cards(_ now: Moment) -> CardReport {
        let newest = life.generations.first
        let boots = [
            nil, now - .seconds(2), newest?.tokenAt, newest?.tokenAt.map { $0 + .seconds(1) }, now - .seconds(90_000),
        ]
        let bootedAt = boots.randomElement(using: &random) ?? nil
        switch Int.random(in: 0..<10, using: &random) {
        case 0..<4: return CardReport(.there, bootedAt: bootedAt)
        case 4: return CardReport(.ended(newest?.activityID ?? ActivityID("none")), bootedAt: bootedAt)
        default: return CardReport(.absent, bootedAt: bootedAt)
        }
    }

    private mutating func startToken() -> PushToStartToken {
        if random.chance(0.1), let former = life.phone.formerStartTokens.randomElement(using: &random) { return former }
        if random.chance(0.3), let last = life.phone.startToken ?? life.phone.fallback.spentToken { return last }
        return PushToStartToken(fresh("s"))
    }

    private mutating func knownToken() -> UpdateToken? {
        life.generations.compactMap(\.token).randomElement(using: &random)
    }

    /// Mostly what a phone would report, and all else that is known.
    private mutating func token(_ now: Moment) -> LifeEvent {
        let current = life.current
        let any = life.generations.randomElement(using: &random)
        let meant = random.chance(0.6) ? current ?? any : any
        var token = UpdateToken(fresh("t"))
        let known = [meant?.token] + (meant?.formerTokens ?? [])
        if random.chance(0.3), let known = known.randomElement(using: &random) ?? nil { token = known }
        var activity: ActivityID? = random.chance(0.6) ? ActivityID(fresh("a")) : nil
        if random.chance(0.6), let known = meant?.activityID { activity = known }
        var start: StartID?
        switch Int.random(in: 0..<10, using: &random) {
        case 0..<4: start = meant?.startID
        case 4..<7: start = meant?.renewalStartID ?? meant?.startID
        case 7: start = StartID(fresh("f"))
        case 8: start = starts.last?.startID
        default: start = nil
        }
        return .tokenReported(token, activity: activity, start: start)
    }

    private mutating func dismissal() -> LifeEvent {
        let meant = life.generations.prefix(2).randomElement(using: &random)
        let activity = random.chance(0.2) ? ActivityID(fresh("a")) : random.chance(0.7) ? meant?.activityID : nil
        return .dismissed(activity: activity, token: random.chance(0.5) ? meant?.token : nil)
    }

    /// APNs' own time of an answer.
    private mutating func since(_ registered: Moment?, _ now: Moment) -> Moment? {
        switch Int.random(in: 0..<5, using: &random) {
        case 0: nil
        case 1: now
        case 2: registered
        default: (registered ?? now) - .seconds(random.chance(0.5) ? 5 : 5_000)
        }
    }

    // MARK: - What APNs answers

    /// To a start or an end that is out; nil when there is none, or no answer.
    mutating func startAnswer(_ now: Moment) -> LifeEvent? {
        guard !isDeaf, let claim = starts.randomElement(using: &random) else { return nil }
        let answer: StartAnswer
        switch Int.random(in: 0..<10, using: &random) {
        case 0..<2: answer = .accepted
        case 2..<4: answer = .unknown
        case 4..<6: answer = .notProcessed(retryAfter: .seconds([0, 1, 15, 60].randomElement(using: &random) ?? 1))
        case 6: answer = .refused
        default: answer = .tokenDead(since: since(life.phone.startTokenAt, now))
        }
        return .startAnswered(claim.startID, to: claim.token, answer)
    }

    mutating func endAnswer() -> LifeEvent? {
        guard let claim = ends.randomElement(using: &random) else { return nil }
        let answer: EndAnswer
        switch Int.random(in: 0..<5, using: &random) {
        case 0..<2: answer = .accepted
        case 2: answer = random.chance(0.5) ? .undeliverable : .notSent
        default: answer = .retry(after: .seconds([1, 60, 900].randomElement(using: &random) ?? 1))
        }
        return .endAnswered(claim.token, answer)
    }

    // MARK: - The rules

    mutating func apply(_ event: LifeEvent, _ now: Moment) -> [LifeIntent] {
        story.append("\(now.seconds) \(event)")
        return life.handle(event, at: now)
    }
}
