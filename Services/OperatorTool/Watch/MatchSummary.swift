import LabAPI
import SightscreenModels

/// What the lab's phones saw in all, and whether it was as it should be.
struct MatchSummary {
    let state: LabState
    let phones: [LabPhoneSummary]

    /// Anything that a follower would have noticed; empty after a healthy match.
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
                lines.append("  result     \(content.expanded.status ?? LockScreenCard(state: content).summary)")
            }
        }
        let latency = state.latency
        if let p50 = latency.p50Ms, let p95 = latency.p95Ms {
            let (median, most) = (LockScreenView.tenths(p50), LockScreenView.tenths(p95))
            lines.append(
                "  latency    new ball to Lock Screen: median \(median) s, 95 % within \(most) s (the last \(latency.count))"
            )
        }
        let faults = faults
        if faults.isEmpty {
            lines.append("  verdict    every Lock Screen: the same final state, one end")
        } else {
            lines += faults.prefix(20).map { "  FAULT      \($0)" }
            if faults.count > 20 { lines.append("  FAULT      and \(faults.count - 20) more") }
        }
        return lines
    }
}
