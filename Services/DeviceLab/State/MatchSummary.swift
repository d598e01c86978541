import SightscreenModels

/// The summary of what all phones showed, and whether it was right.
struct MatchSummary {
    /// The answer of `/api/summary`; `sightscreen up` reads it.
    struct Answer: Encodable {
        var isOver: Bool
        /// A number that grows with every change of a Lock Screen.
        var progress: Int
        /// Lock Screens on which a new ball was measured.
        var balls: Int
        var lines: [String]
        var faults: [String]
    }

    let state: LabState
    let phones: [LabPhoneSummary]

    /// The faults that a follower would have noticed; empty after a healthy match.
    var faults: [String] {
        var faults: [String] = []
        let over = state.matches.filter { $0.tape.isLast && $0.version > 0 }
        if over.isEmpty { faults.append("no match was played to its end") }
        let left = state.phones.showing
        if left > 0 { faults.append("\(left) Lock Screens were left with an activity that goes on") }
        for match in over where !phones.contains(where: { $0.shown.contains { $0.matchId == match.id } }) {
            faults.append("nobody had \(match.title) on the Lock Screen")
        }
        for match in over {
            for phone in phones where phone.isOnline && phone.allowsActivities {
                for shown in phone.shown where shown.matchId == match.id {
                    if shown.state != .ended { faults.append("\(phone.name): its activity was not ended") }
                    if shown.version != match.version {
                        faults.append("\(phone.name) shows version \(shown.version), not \(match.version)")
                    }
                }
                let isDouble = phone.shown.count { $0.matchId == match.id } > 1
                if isDouble { faults.append("\(phone.name) has two activities of a match") }
                if phone.follows.contains(match.id), !phone.shown.contains(where: { $0.matchId == match.id }) {
                    faults.append("\(phone.name) follows and shows nothing")
                }
            }
        }
        return faults
    }

    var lines: [String] {
        let showing = phones.count { !$0.shown.isEmpty }
        var lines = [
            "",
            "After the match",
            "  iPhones    \(phones.count) of \(Set(phones.map(\.user)).count) users; \(showing) had it on the Lock Screen",
        ]
        for match in state.matches where match.version > 0 {
            lines.append("  versions   \(match.version) of \(match.title)")
            if let content = match.content {
                lines.append(
                    "  result     \(content.expanded.status ?? "\(content.compactLeading.teamAbbr) \(content.compactLeading.score)")"
                )
            }
        }
        let latency = state.latency
        if let p50 = latency.p50Ms, let p95 = latency.p95Ms {
            let (median, most) = (Self.tenths(p50), Self.tenths(p95))
            lines.append(
                "  latency    new ball to Lock Screen: median \(median) s, 95 % within \(most) s (the last \(latency.count))"
            )
        }
        let faults = faults
        if faults.isEmpty {
            lines.append("  outcome    every Lock Screen: the same final state, one end")
        } else {
            lines += faults.prefix(20).map { "  FAULT      \($0)" }
            if faults.count > 20 { lines.append("  FAULT      and \(faults.count - 20) more") }
        }
        return lines
    }

    private static func tenths(_ ms: Int) -> String { "\((ms + 50) / 1_000).\((ms + 50) / 100 % 10)" }
}

/// Decides when the matches are over for the phones: the tapes are at their end, and no activity goes on, or some have
/// gone on for too long since then.
struct MatchEnd {
    private var hasPlayed = false
    /// When every tape was first seen at its end.
    private var lastFrameSeen: ContinuousClock.Instant?

    mutating func isOver(_ lab: LabState, now: ContinuousClock.Instant = .now) -> Bool {
        if lab.phones.showing > 0 { hasPlayed = true }
        guard hasPlayed, !lab.matches.isEmpty, lab.matches.allSatisfy(\.tape.isLast) else {
            lastFrameSeen = nil
            return false
        }
        let since = lastFrameSeen ?? now
        lastFrameSeen = since
        return lab.phones.showing == 0 || now - since > Self.patience(lab)
    }

    /// The longest time for which an activity may go on after the last frame: half an hour of match time, at least a
    /// minute, in which the backend waits for a super over and holds the result.
    private static func patience(_ lab: LabState) -> Duration {
        .seconds(max(60, 1_800 / (lab.matches.map(\.tape.speed).min() ?? 1)))
    }
}
