import SightscreenModels

/// The update tokens that the backend has, by match and within it by activity, because a renewed activity runs beside
/// the one it replaces.
struct SentTokens: Equatable, Sendable {
    private struct Sent: Equatable {
        var activity: ActivityID
        var token: UpdateToken
    }

    /// The sent tokens of each match, newest last.
    private var byMatch: [MatchID: [Sent]] = [:]

    /// Whether the backend has this token already.
    func has(_ token: UpdateToken, of activity: ActivityID, for match: MatchID) -> Bool {
        byMatch[match]?.contains(Sent(activity: activity, token: token)) ?? false
    }

    func last(for match: MatchID) -> UpdateToken? { byMatch[match]?.last?.token }

    mutating func sent(_ token: UpdateToken, of activity: ActivityID, for match: MatchID) {
        forget(activity)
        byMatch[match, default: []].append(Sent(activity: activity, token: token))
    }

    mutating func forget(_ activity: ActivityID) {
        for (match, sent) in byMatch where sent.contains(where: { $0.activity == activity }) {
            let others = sent.filter { $0.activity != activity }
            byMatch[match] = others.isEmpty ? nil : others
        }
    }
}
