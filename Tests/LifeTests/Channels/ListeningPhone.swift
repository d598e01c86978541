import Activities
import SightscreenModels
import TestKit

/// A phone with the app, and the cards of one match on it. Some phones are too old for channels.
struct ListeningPhone {
    struct Card {
        let activity: ActivityID
        let start: StartID?
        /// What it listens to; nil for a card with a token.
        let channel: ChannelID?
        var token: UpdateToken?
        /// Since when the backend knows the token.
        var tokenAt: Moment?
        var stamp: Stamp
        /// The backend has said that it sends an end.
        var isToEnd = false
    }

    let user: UserID
    let match: Int
    let matchID: MatchID
    let listens: Bool
    /// Whether its app runs when a start arrives: it does not where the user has quit it by force.
    let wakes: Bool
    var isFollowed = false
    var level = AlertLevel.all
    var cards: [Card] = []
    /// What was announced on it, and how often.
    var heard: [MatchVersion: Int] = [:]
    /// Something that must not be, in words.
    var problems: [String] = []
    var story: [String] = []
    /// Whether an older card stays beside a newer one, as long as the app does not run: nothing else can end one of two
    /// that listen. Or one has a token, and its end is on the way.
    var hasOlder = false

    init(user: UserID, match: Int, matchID: MatchID, listens: Bool, wakes: Bool) {
        (self.user, self.match, self.matchID, self.listens, self.wakes) = (user, match, matchID, listens, wakes)
    }

    /// A start arrives: iOS shows a card, and the app, if it runs, ends older ones.
    mutating func show(_ card: Card) {
        hasOlder = hasOlder || !wakes && !cards.isEmpty
        if wakes { cards = [] }
        cards.append(card)
    }

    /// Something arrives for the cards that a condition selects. What is not newer than what a card shows is dropped.
    mutating func take(_ stamp: Stamp, alert: MatchVersion?, for selects: (Card) -> Bool) {
        var hears = false
        for place in cards.indices where selects(cards[place]) && cards[place].stamp < stamp {
            cards[place].stamp = stamp
            hears = true
        }
        guard hears, let alert else { return }
        heard[alert, default: 0] += 1
        if heard[alert, default: 0] > 1, !hasOlder { problems.append("version \(alert.rawValue) is told twice") }
    }

    /// What the app says of its cards when it reconciles.
    var listed: [RunningActivity] {
        cards.map {
            RunningActivity(matchId: matchID, activityId: $0.activity, startId: $0.start, channel: $0.channel)
        }
    }

    /// The app has ended what it was asked to end. Of those that listen one is left; an end on its way may have to take
    /// off one with a token.
    mutating func end(_ ended: [ActivityID]) {
        cards.removeAll { ended.contains($0.activity) }
        let kept = cards.filter { !$0.isToEnd }
        hasOlder = kept.count > 1
        if kept.count(where: { $0.channel != nil }) > 1 {
            problems.append("may keep \(kept.map { "\($0.activity) of \($0.start?.rawValue ?? "-")" })")
        }
    }
}
