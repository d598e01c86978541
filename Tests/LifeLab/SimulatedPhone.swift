import Activities
import SightscreenModels

/// An iPhone that follows ActivityKit's rules, with the app on it.
final class SimulatedPhone {
    /// Starts by push in an hour; what comes beyond is dropped in silence.
    static let startBudget = 10
    static let activityLife = 8 * 3_600_000
    /// The app ends an activity that has shown nothing new for so long.
    static let staleAfter = 1_800_000

    unowned let world: World
    let number: Int
    var user: Int
    private(set) var device = 0
    private(set) var installation = 0
    private(set) var startToken: PushToStartToken?
    private(set) var activities: [PhoneActivity] = []
    private(set) var isOnline = true
    private(set) var onlineSince = World.begin
    private(set) var bootedAt = World.begin - 86_400_000
    var allows = true
    /// The app gets the time to report update tokens.
    var reportsTokens = true
    /// Whether a silent push wakes the app and a notification is tapped.
    var answersSilent = false
    var answersVisible = false
    private var budget: [Int] = []
    private var cardsOfFormerUsers: Set<ActivityID> = []
    lazy var outbox = PhoneOutbox(self)

    init(_ world: World, number: Int, user: Int) {
        self.world = world
        self.number = number
        self.user = user
    }

    func running(_ match: Int) -> [PhoneActivity] { activities.filter { $0.isRunning && $0.match == match } }

    // MARK: - The app

    /// A fresh installation: another device, other tokens, nothing shown.
    func install() {
        for activity in activities { finish(activity, why: "the app was deleted") }
        activities = []
        if let startToken { world.apns.kill(startToken.rawValue) }
        installation += 1
        device = world.unique()
        outbox.forget()
        budget = []
        rotateStartToken(reports: false)
        world.note("phone \(number): app installed, device \(device)")
        open()
    }

    /// The app comes to the front: it looks after its activities and tells the server everything anew.
    func open() {
        world.note("phone \(number): app opened")
        for activity in activities where activity.isRunning && world.now - activity.shownAt > Self.staleAfter {
            world.oracle.wentStale(self, activity)
            finish(activity, why: "stale")
        }
        report()
    }

    private func report() {
        var cards: [Int: CardReport.Card] = [:]
        // The newest is the one that counts.
        for activity in activities where activity.isVisible {
            if activity.isRunning { cards[activity.match] = .there }
            if !activity.isRunning, cards[activity.match] != .there { cards[activity.match] = .ended(activity.id) }
        }
        outbox.add(.register(allows: allows, cards: cards, bootedAt: bootedAt))
        if let startToken { outbox.add(.startToken(startToken)) }
        for activity in activities where activity.isRunning { reportToken(activity) }
        outbox.hurry()
    }

    func wake(byUser: Bool) {
        guard isOnline else { return }
        if byUser { if answersVisible { open() } } else if answersSilent { report() }
    }

    func follow(_ match: Int, locally: Bool) {
        let starts = locally && allows && running(match).isEmpty && world.database.match(match).phase.isInPlay
        world.note("phone \(number): user \(user) follows match \(match)\(starts ? ", starts locally" : "")")
        outbox.add(.follow(match, locally: starts))
        guard starts else { return }
        let row = world.database.match(match)
        // The phone's own clock and what the app shows already.
        begin(match, nil, stamp: world.seconds, version: row.version, content: row.content)
    }

    func unfollow(_ match: Int, endsItself: Bool) {
        world.note("phone \(number): user \(user) unfollows match \(match)")
        outbox.add(.unfollow(match))
        if endsItself { for activity in running(match) { finish(activity, why: "unfollowed") } }
    }

    /// The user swipes an activity away.
    func dismiss(_ activity: PhoneActivity, reports: Bool = true) {
        world.note("phone \(number): dismisses \(activity.id)")
        let (match, token) = (activity.match, activity.token)
        finish(activity, why: "dismissed")
        activity.isVisible = false
        if reports { outbox.add(.dismissed(match, activity.id, token)) }
    }

    /// Switched off and on: nothing is shown any more, and the app does not run.
    func restart() {
        world.note("phone \(number): restarted")
        bootedAt = world.now
        for activity in activities {
            finish(activity, why: "the phone was restarted")
            activity.isVisible = false
        }
    }

    func switchAccount(to user: Int) {
        world.note("phone \(number): user \(user) instead of \(self.user)")
        self.user = user
        outbox.forget()
        for activity in activities {
            activity.registeredAt = nil
            cardsOfFormerUsers.insert(activity.id)
        }
        open()
    }

    func setOnline(_ online: Bool) {
        guard online != isOnline else { return }
        isOnline = online
        onlineSince = online ? world.now : .max
        world.note("phone \(number): \(online ? "online" : "offline")")
        guard online else { return }
        world.apns.cameOnline(self)
        outbox.pump()
    }

    // MARK: - ActivityKit

    func rotateStartToken(reports: Bool = true) {
        if let startToken { world.apns.kill(startToken.rawValue) }
        let token = PushToStartToken("s\(world.unique())")
        startToken = token
        world.apns.register(token.rawValue, phone: self)
        if reports { outbox.add(.startToken(token)) }
    }

    func rotateToken(_ activity: PhoneActivity) {
        guard activity.isRunning, let old = activity.token else { return }
        world.apns.kill(old.rawValue)
        issueToken(activity)
        reportToken(activity)
    }

    func receive(_ push: LabPush, _ activity: PhoneActivity?) {
        switch push.kind {
        case .start:
            guard push.startToken == startToken, allows else { return }
            budget.removeAll { $0 <= world.now - 3_600_000 }
            guard budget.count < Self.startBudget else { return world.note("phone \(number): start budget exceeded") }
            budget.append(world.now)
            begin(
                push.key.match, push.start, stamp: push.stamp, version: push.version, content: push.content, push.epoch)
        case .update:
            guard let activity, activity.isRunning, activity.token == push.token else { return }
            guard push.stamp > activity.stamp else { return }
            world.oracle.shows(self, activity, push)
            activity.stamp = push.stamp
            activity.version = push.version
            activity.content = push.content
            activity.epoch = push.epoch
            activity.shownAt = world.now
        case .end:
            guard let activity, activity.isRunning, activity.token == push.token else { return }
            finish(activity, why: "ended by the server")
            // What stays on the Lock Screen can be swiped away, and the app says so.
            if push.lingers, world.random.perMille(300) {
                world.after(1_000 + world.random.below(600_000)) { [unowned self] in
                    if activity.isVisible { dismiss(activity) }
                }
            }
        case .silent, .visible: break
        }
    }

    private func begin(
        _ match: Int, _ start: StartID?, stamp: Int, version: Int, content: Int, _ epoch: Int? = nil
    ) {
        let activity = PhoneActivity(
            id: ActivityID("a\(world.unique())"), match: match, start: start, at: world.now, stamp: stamp,
            version: version, epoch: epoch ?? world.database.losses, content: content)
        activities.append(activity)
        world.note("phone \(number): \(activity.id) begins\(start.map { ", start \($0)" } ?? "")")
        let mine = installation
        world.after(300 + world.random.below(5_000)) { [unowned self] in
            guard mine == installation, activity.isRunning else { return }
            issueToken(activity)
            if world.fault(world.faults.tokenNotReported) { return }
            world.after(world.random.below(2_000)) { [unowned self] in
                if mine == installation { reportToken(activity) }
            }
        }
        world.after(Self.activityLife) { [unowned self] in finish(activity, why: "eight hours") }
    }

    private func issueToken(_ activity: PhoneActivity) {
        let token = UpdateToken("t\(world.unique())")
        activity.token = token
        activity.registeredAt = nil
        world.apns.register(token.rawValue, phone: self, activity: activity)
    }

    private func reportToken(_ activity: PhoneActivity) {
        guard activity.isRunning, reportsTokens, let token = activity.token else { return }
        outbox.add(.token(activity.match, token, activity.id, activity.start))
    }

    private func finish(_ activity: PhoneActivity, why: String) {
        guard activity.isRunning else { return }
        activity.isRunning = false
        if let token = activity.token { world.apns.kill(token.rawValue) }
        world.note("phone \(number): \(activity.id) ends, \(why)")
        activities.removeAll { !$0.isRunning && world.now - $0.startedAt > 2 * Self.activityLife }
    }

    /// The system ends it, for whatever reason; nobody is told.
    func vanish(_ activity: PhoneActivity) { finish(activity, why: "ended by the system") }

    func endAll(why: String) { for activity in activities { finish(activity, why: why) } }

    /// The user does not follow the match of that card.
    func wasRefused(_ token: UpdateToken) {
        for activity in activities where activity.token == token { finish(activity, why: "ended by the app") }
    }

    /// The server has named its cards of that match. Here only those of a former user go by that: the others must come
    /// right without it.
    func wasToldToEnd(_ match: Int) {
        for activity in activities where activity.match == match && cardsOfFormerUsers.contains(activity.id) {
            finish(activity, why: "ended by the app")
        }
    }

    func wasRegistered(_ token: UpdateToken) {
        for activity in activities where activity.token == token {
            activity.registeredAt = activity.registeredAt ?? world.now
        }
    }
}
