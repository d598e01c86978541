import APNsProtocol
import Activities
import FanOut
import Logging
import Postgres
import SightscreenModels
import Store
import TestKit

@testable import APIGateway
@testable import LACoordinator
@testable import MatchOrchestrator

/// Random lives of cards, most of which listen to broadcast channels, on the product's statements and the calls of
/// `ChannelCalls`. Each phone and each step is judged by what must never be.
struct ChannelLives {
    /// What is wrong, with what happened before.
    private(set) var problems: [String] = []
    /// How often each kind of thing happened.
    private(set) var counts: [String: Int] = [:]

    private let seed: UInt64
    private var phones: [ListeningPhone]
    private var matches: [LifeMatch]
    private var harness: LifeHarness
    private let apple: SimulatedBroadcasts
    private let calls: ChannelCalls
    private var random: SeededGenerator
    private var now: Moment
    private var named = 0
    /// The newest version of each match whose alert is still news, and whether it is one of the key ones.
    private var alerts: [MatchID: (version: MatchVersion, isKey: Bool)] = [:]
    /// Alerts that were claimed for a channel and refused.
    private var owed: [ChannelKey: MatchVersion] = [:]

    init(
        seed: UInt64, begin: Moment, matches: Int, perMatch: Int, _ pool: PostgresPool, _ clock: LifeClock
    ) async throws {
        self.seed = seed
        random = SeededGenerator(seed: seed)
        now = begin
        phones = []
        for number in 0..<matches * perMatch {
            phones.append(
                ListeningPhone(
                    user: UserID("user\(number)"), match: number % matches,
                    matchID: MatchID(Int64(number % matches + 1)), listens: random.chance(0.85),
                    wakes: random.chance(0.8)))
        }
        let leases: [Lease]
        (harness, leases) = try await LifeHarness.make(pool, clock, matches: matches, users: phones.map(\.user))
        self.matches = leases.enumerated().map { place, lease in
            LifeMatch(id: MatchID(Int64(place + 1)), lease: lease, isSteady: place % 3 != 0)
        }
        apple = SimulatedBroadcasts(seed: seed)
        calls = ChannelCalls(
            store: harness.channels, management: apple, logger: Logger(label: "lives") { _ in SwiftLogNoOpLogHandler() }
        )
        try await pool.execute(
            """
            UPDATE devices AS d SET push_to_start_token = 'start-' || d.user_id, broadcast = p.listens
            FROM unnest($1::text[], $2::int[]) AS one (user_id, listens), LATERAL (SELECT one.listens = 1) AS p (listens)
            WHERE d.user_id = one.user_id
            """, [.textArray(phones.map(\.user.rawValue)), .intArray(phones.map { $0.listens ? 1 : 0 })])
        for match in self.matches { try await match.schedule("NS", pool) }
    }

    private mutating func count(_ what: String) { counts[what, default: 0] += 1 }

    private mutating func fresh(_ prefix: String) -> String {
        named += 1
        return "\(prefix)\(named)"
    }

    private mutating func tick(_ wait: Duration) async throws {
        now = now + wait
        try await harness.clock.set(now)
    }

    /// Plays some hours of random faults, then to the end of every match and ten hours more without any.
    mutating func play(steps: Int) async throws {
        // No channel is made for an hour after broadcasts were switched off.
        let offAt = seed.isMultiple(of: 2) ? Int.random(in: 0..<steps, using: &random) : nil
        for step in 0..<steps {
            try await tick(.seconds([3, 7, 20, 31, 65, 130, 400].randomElement(using: &random) ?? 3))
            if step % 8 == 0 { try await harness.pool.execute("ANALYZE live_activities, devices, match_follows") }
            try await befall(step, offAt: offAt)
            try await changeMatches()
            for place in phones.indices { try await happen(to: place) }
            try await pass()
        }
        await apple.setReliable()
        await apple.set(isOn: true)
        try await tick(.seconds(3))
        for place in matches.indices where matches[place].phase != .ended { try await become(.live, place) }
        while matches.contains(where: { $0.phase != .ended }) {
            try await tick(.seconds(30))
            // Not every result is taken for settled.
            for place in matches.indices where matches[place].phase != .ended {
                if matches[place].phase != .settled || random.chance(0.05) { try await become(.settled, place) }
            }
            try await pass()
        }
        for wait in [10, 60, 300, 900] + Array(repeating: 1_800, count: 20) {
            try await tick(.seconds(wait))
            try await pass()
        }
        try await judgeEnd()
        collectProblems()
    }

    // MARK: - What befalls Apple and the coordinators

    private mutating func befall(_ step: Int, offAt: Int?) async throws {
        await apple.setStorm(random.chance(0.15))
        if await !apple.isOn {
            if random.chance(0.4) { await apple.set(isOn: true) }
        } else if step == offAt {
            await apple.set(isOn: false)
            count("switched off")
        }
        if random.chance(0.05) { try await takeOver() }
    }

    private mutating func takeOver() async throws {
        try await harness.takeOver()
        // The claimant of an alert that was refused is gone.
        owed = [:]
        count("takeover")
    }

    // MARK: - Matches

    private mutating func changeMatches() async throws {
        alerts = [:]
        for place in matches.indices {
            if let phase = matches[place].next(&random) {
                if matches[place].phase == .ended { count("reopened") }
                try await become(phase, place)
            } else if matches[place].phase.isInPlay, random.chance(0.5) {
                try await become(matches[place].phase, place)
            }
        }
    }

    private mutating func become(_ phase: LifePhase, _ place: Int) async throws {
        try await matches[place].become(phase, harness.pool, &random)
        let match = matches[place].id
        if phase.isInPlay, random.chance(0.5), let version = try await harness.states()[match]?.version {
            alerts[match] = (version, random.chance(0.5))
        }
    }

    // MARK: - Users and phones

    private mutating func happen(to place: Int) async throws {
        let phone = phones[place]
        if !phone.isFollowed {
            if random.chance(0.3) { try await follow(place) }
            return
        }
        guard random.chance(0.15) else { return }
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<8:
            phones[place].story.append("\(now.seconds) unfollows")
            try await harness.follows.unfollow(phone.matchID, user: phone.user)
            phones[place].isFollowed = false
            // Its cards with tokens end by push; for the others the app is asked, if it can be.
            if phone.wakes { try await open(place, bootedAt: nil) }
        case 8..<25: try await changeLevel(place)
        case 25..<40: try await follow(place)
        case 40..<48:
            guard let card = phone.cards.randomElement(using: &random) else { return }
            phones[place].story.append("\(now.seconds) swipes \(card.activity) away")
            phones[place].cards.removeAll { $0.activity == card.activity }
            try await harness.dismiss(card, on: phone)
            phones[place].isFollowed = false
            count("dismissed")
            if !phones[place].cards.isEmpty { try await open(place, bootedAt: nil) }
        case 48..<52:
            phones[place].story.append("\(now.seconds) restarts")
            phones[place].cards = []
            try await open(place, bootedAt: now)
        default: try await open(place, bootedAt: nil)
        }
    }

    private mutating func randomLevel() -> AlertLevel {
        [AlertLevel.all, .all, .key, .none].randomElement(using: &random) ?? .all
    }

    /// The user follows, or sets the level, in the app: it makes the card on the channel itself where the answer names
    /// one that its card does not listen to.
    private mutating func follow(_ place: Int) async throws {
        let level = randomLevel()
        let channel = try await harness.follow(phones[place], level: level)
        if phones[place].isFollowed, level != phones[place].level { count("level in the app") }
        (phones[place].isFollowed, phones[place].level) = (true, level)
        phones[place].story.append("\(now.seconds) follows with \(level): \(channel?.rawValue ?? "-")")
        guard let channel, phones[place].listens, matches[phones[place].match].phase.isInPlay,
            !phones[place].cards.contains(where: { $0.channel == channel }),
            phones[place].cards.contains(where: { $0.channel != nil })
        else { return }
        let stamp = try await harness.states()[phones[place].matchID]?.stamp ?? Stamp(0)
        let card = ListeningPhone.Card(
            activity: ActivityID(fresh("a")), start: nil, channel: channel, token: nil, tokenAt: nil, stamp: stamp)
        phones[place].cards = [card]
        count("card by the app")
        try await report(card, place)
    }

    /// Another device of the user's sets it: this phone's app does not run.
    private mutating func changeLevel(_ place: Int) async throws {
        let level = randomLevel()
        phones[place].story.append("\(now.seconds) wants \(level), elsewhere")
        try await harness.change(phones[place], to: level)
        phones[place].level = level
        count("level elsewhere")
    }

    /// The app runs: it says what there is, and does what it is told.
    private mutating func open(_ place: Int, bootedAt: Moment?) async throws {
        for card in phones[place].cards where card.channel == nil && card.token == nil {
            try await registerToken(of: card, place)
        }
        let ended = try await harness.reconcile(phones[place], bootedAt: bootedAt)
        phones[place].story.append("\(now.seconds) is opened: \(ended) end")
        if !ended.isEmpty { count("asked to end") }
        phones[place].end(ended)
        for card in phones[place].cards where random.chance(0.7) { try await report(card, place) }
    }

    private mutating func report(_ card: ListeningPhone.Card, _ place: Int) async throws {
        guard card.channel != nil else { return }
        count("reported")
        if try await !harness.report(card, on: phones[place]) {
            phones[place].cards.removeAll { $0.activity == card.activity }
        }
    }

    private mutating func registerToken(of card: ListeningPhone.Card, _ place: Int) async throws {
        guard let index = phones[place].cards.firstIndex(where: { $0.activity == card.activity }) else { return }
        let token = UpdateToken(fresh("t"))
        let action = try await harness.register(
            token, card.activity, card.start, phones[place].matchID, phones[place].user)
        switch action {
        // Nothing is recorded: the app tries again.
        case .pass: return
        case .end, .refuse: phones[place].cards[index].isToEnd = true
        default: break
        }
        phones[place].cards[index].token = token
        phones[place].cards[index].tokenAt = now
        phones[place].story.append("\(now.seconds) registers \(token) of \(card.activity): \(action)")
    }

    // MARK: - The backend

    private mutating func pass() async throws {
        let ended = try await harness.pass().ended
        for place in matches.indices where ended.contains(matches[place].id) { matches[place].phase = .ended }
        try await harness.askForChannels()
        try await keepChannels()
        try await sendEnds()
        try await publish()
        try await sendStarts()
    }

    private mutating func keepChannels() async throws {
        for end in try await harness.channels.claimEnds(harness.shards, dismissAfter: 900) {
            let (answer, isDelivered) = await apple.publish(to: end.id)
            if isDelivered {
                count("end")
                for place in phones.indices where phones[place].cards.contains(where: { $0.channel == end.id }) {
                    // A phone may miss it.
                    guard !random.chance(0.3) else { continue }
                    phones[place].story.append("\(now.seconds) gets the end of \(end.id)")
                    phones[place].cards.removeAll { $0.channel == end.id }
                }
            }
            // The publisher may die before the answer.
            guard !random.chance(0.1) else { continue }
            try await calls.finish(end, answer.map { .answered($0) } ?? .unknown)
        }
        for call in try await harness.channels.claimDeletions(harness.shards, limit: 100) { await calls.delete(call) }
        _ = try await harness.channels.moveActivities(harness.shards, limit: 1_000)
        let leases = harness.shards
        for call in try await harness.channels.claimCreations(leases, limit: 100) {
            switch Int.random(in: 0..<10, using: &random) {
            case 0: count("died before the call")
            case 1:
                await apple.createUnheardOf()
                count("died before the answer")
            case 2:
                try await takeOver()
                await calls.create(call, leases)
            default:
                await calls.create(call, leases)
                count("created")
            }
        }
        await calls.sweep(.report)
    }

    private mutating func sendEnds() async throws {
        for end in try await harness.claimEnds() {
            for place in phones.indices where phones[place].user == end.key.userID {
                phones[place].cards.removeAll { $0.token == end.token }
            }
            try await harness.activities.finishEnd(end, .sent)
        }
    }

    /// Publishes the newest state of each match: to its channels, and to the cards with tokens.
    private mutating func publish() async throws {
        let states = try await harness.states()
        let open = try await harness.channels.open(shards: harness.shards.map(\.shard))
        for entry in open {
            guard let state = states[entry.key.match] else { continue }
            var alert = owed.removeValue(forKey: entry.key)
            if let news = alerts[entry.key.match], news.version == state.version,
                wants(entry.key.audience.alertLevel, news.isKey),
                try await harness.claimAlert(
                    news.version, of: entry.key.match, for: AlertBucket(channel: entry.key, shard: entry.shard))
            {
                alert = news.version
            }
            try await publish(entry, state.stamp, alert)
        }
        for (match, state) in states {
            var gained: Set<Int> = []
            let news = alerts[match].flatMap { $0.version == state.version ? $0 : nil }
            for place in phones.indices where phones[place].matchID == match {
                let phone = phones[place]
                guard phone.cards.contains(where: { $0.token != nil }) else { continue }
                let shard = DeviceRoute(user: phone.user, device: LifeCase.device).shard
                if let news, !gained.contains(shard),
                    try await harness.claimAlert(news.version, of: match, for: AlertBucket(shard: shard))
                {
                    gained.insert(shard)
                }
                let alert = news.flatMap { gained.contains(shard) && wants(phone.level, $0.isKey) ? $0.version : nil }
                let at = now
                phones[place].take(state.stamp, alert: alert) { card in card.tokenAt.map { $0 < at } ?? false }
            }
        }
        alerts = [:]
    }

    private func wants(_ level: AlertLevel, _ isKey: Bool) -> Bool { level == .all || level == .key && isKey }

    private mutating func publish(_ entry: ChannelEntry, _ stamp: Stamp, _ alert: MatchVersion?) async throws {
        let (answer, isDelivered) = await apple.publish(to: entry.id)
        if isDelivered {
            count(alert == nil ? "state" : "alert")
            for place in phones.indices where !random.chance(0.05) {
                phones[place].take(stamp, alert: alert) { $0.channel == entry.id }
            }
        }
        switch answer?.action {
        case .channelGone: try await harness.channels.lost(entry.key, reason: "ChannelNotRegistered")
        case .broadcastOff: await calls.stopped(entry.key.environment, reason: "BroadcastFeatureNotEnabled")
        case .backOffToken:
            count("rest")
            try await harness.channels.throttled(entry.key, perMinute: 6, restsUntil: Double(now.seconds + 60))
            if let alert, random.chance(0.5) { owed[entry.key] = alert }
        default: break
        }
    }

    private mutating func sendStarts() async throws {
        let states = try await harness.states()
        for claim in try await harness.claimStarts() {
            guard let place = phones.firstIndex(where: { $0.user == claim.key.userID }) else { continue }
            let what =
                "\(claim.isRenewal ? "renewal" : "start") \(claim.startID) on \(claim.channel?.rawValue ?? "a token")"
            switch Int.random(in: 0..<10, using: &random) {
            case 0:
                phones[place].story.append("\(now.seconds) \(what): no answer")
                if random.chance(0.5) { try await show(claim, place, states) }
            case 1:
                try await harness.activities.releaseStart(claim, after: .seconds(15))
                phones[place].story.append("\(now.seconds) \(what): refused")
            case 2 where claim.channel != nil:
                phones[place].story.append("\(now.seconds) \(what): its sender dies")
                try await show(claim, place, states)
            default:
                phones[place].story.append("\(now.seconds) \(what)")
                count(claim.channel == nil ? "start on a token" : "start on a channel")
                // The phone may be off, or forbid it without a word.
                if random.chance(0.95) { try await show(claim, place, states) }
                if claim.channel != nil { try await harness.activities.startedOnChannel([claim]) }
            }
        }
    }

    private mutating func show(
        _ claim: StartClaim, _ place: Int, _ states: [MatchID: (version: MatchVersion, stamp: Stamp)]
    ) async throws {
        let card = ListeningPhone.Card(
            activity: ActivityID(fresh("a")), start: claim.startID, channel: claim.channel, token: nil, tokenAt: nil,
            stamp: states[claim.key.matchID]?.stamp ?? Stamp(0))
        if phones[place].cards.count > 0 { count("second card") }
        phones[place].show(card)
        phones[place].story.append("\(now.seconds) shows \(card.activity) of \(claim.startID)")
        guard phones[place].wakes else { return }
        if card.channel == nil {
            try await registerToken(of: card, place)
        } else if random.chance(0.6) {
            try await report(card, place)
        }
    }

    // MARK: - The judgement

    /// Every match has been over for ten hours.
    private mutating func judgeEnd() async throws {
        let lost = Set(
            try await harness.pool.query("SELECT channel_id FROM broadcast_channels WHERE lost_at IS NOT NULL")
                .compactMap { try $0.optionalString("channel_id").map { ChannelID($0) } })
        for place in phones.indices {
            for card in phones[place].cards {
                if let channel = card.channel {
                    // Without its channel nothing reaches it, and a phone shows it for eight hours.
                    if !lost.contains(channel) { phones[place].problems.append("no end to \(card.activity)") }
                } else if card.token != nil {
                    phones[place].problems.append("no end to \(card.activity)")
                }
            }
            try await open(place, bootedAt: nil)
            if !phones[place].cards.isEmpty {
                phones[place].problems.append("keeps \(phones[place].cards.map(\.activity)), and was asked")
            }
        }
        // Channels that the table still has are those that were lost, or are to be deleted.
        let orphans = Set(await calls.sweep(.report))
        let unheardOf = await apple.unheardOf
        let left = await apple.channels
        if orphans != left { problems.append("APNs has \(left), the sweep names \(orphans)") }
        if !left.isSubset(of: unheardOf) { problems.append("\(left.subtracting(unheardOf)) were answered") }
        counts["orphan", default: 0] += orphans.count
        let kept = try await harness.pool.query("SELECT FROM live_activities WHERE status <> 'ended'").count
        if kept > 0 { problems.append("\(kept) records run on") }
    }

    private mutating func collectProblems() {
        for phone in phones where !phone.problems.isEmpty {
            problems.append(
                "\(phone.user) of match \(phone.match + 1), \(phone.listens ? "listens" : "has tokens"), "
                    + "\(phone.wakes ? "wakes" : "does not wake")\n\(phone.story.suffix(30).joined(separator: "\n"))\n"
                    + phone.problems.joined(separator: "\n"))
        }
    }
}
