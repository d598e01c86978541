public import SightscreenModels

/// The state of a phone in short, as its tile on the wall shows it.
public struct LabPhoneSummary: Codable, Hashable, Sendable {
    /// One activity on the phone. It is behind when `version` is below the match's newest.
    public struct Shown: Codable, Hashable, Sendable {
        public var matchId: MatchID
        public var state: LabActivity.State
        public var version: Int
        public var team: String
        public var score: String
        public var overs: String
        /// The broadcast channel that it listens to; nil for one with a token.
        public var channel: ChannelID?
    }

    public var id: String
    public var name: String
    public var user: String
    public var isOnline: Bool
    public var isAppRunning: Bool
    public var allowsActivities: Bool
    /// The matches that the user follows on the phone.
    public var follows: [MatchID]
    /// The activities, the most relevant first.
    public var shown: [Shown]
    /// The number of the newest alert; 0 when there was none.
    public var alertId: Int

    public init(_ phone: LabPhoneState) {
        id = phone.id
        name = phone.name
        user = phone.user
        isOnline = phone.isOnline
        isAppRunning = phone.app != .killed
        allowsActivities = phone.allowsActivities
        follows = phone.followButtons.filter { $0.state != .empty }.map(\.matchId)
        let first = phone.activities.filter { $0.id == phone.island.primary }
        let others = phone.activities.filter { $0.id != phone.island.primary }
        shown = (first + others).map { activity in
            Shown(
                matchId: activity.matchId, state: activity.state, version: activity.content.version,
                team: activity.content.compactLeading.teamAbbr, score: activity.content.compactLeading.score,
                overs: activity.content.compactTrailing.overs, channel: activity.channel)
        }
        alertId = phone.alert?.id ?? 0
    }
}
