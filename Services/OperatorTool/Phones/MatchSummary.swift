import Sightscreen

/// What the demo's phones saw in all, and whether it was as it should be.
struct MatchSummary {
    let phones: [SimulatedPhone]
    let history: [PhoneFleet.Entry]
    let problems: [String]

    /// Anything that a follower would have noticed; empty after a healthy match.
    var faults: [String] {
        var faults = problems
        for phone in phones {
            switch phone.activities.count {
            case 0: faults.append("\(phone.device) never got an activity")
            case 1: break
            default: faults.append("\(phone.device) got \(phone.activities.count) activities")
            }
            for activity in phone.activities where activity.endedAt == nil {
                faults.append("\(phone.device): its activity was not ended")
            }
        }
        let states = Set(phones.compactMap { $0.activities.last?.state })
        if states.count > 1 { faults.append("the phones do not show the same state at the end") }
        var seen: [Int: Set<Int>] = [:]
        for entry in history {
            let version = entry.delivery.payload?.aps.contentState?.version
            if case .dropped(let why) = entry.effect {
                // A repeat of what the phone has shown: a service that was killed may not know that it was told.
                // An alert is never told twice, so a repeat with one is a fault.
                let isSilent = entry.delivery.payload?.aps.alert == nil
                if let version, isSilent, seen[entry.phone, default: []].contains(version) { continue }
                faults.append("\(phones[entry.phone].device) dropped a push: \(why)")
            } else if let version {
                seen[entry.phone, default: []].insert(version)
            }
        }
        return faults
    }

    var lines: [String] {
        let accepted = history.count
        let important = history.count { $0.delivery.priority == 10 }
        let alerts = Dictionary(grouping: history.filter { $0.delivery.payload?.aps.event == "update" }) {
            $0.delivery.payload?.aps.alert.map { "\($0.title): \($0.body)" } ?? ""
        }.filter { !$0.key.isEmpty }
        let versions = Set(history.compactMap { $0.delivery.payload?.aps.contentState?.version }).count
        var lines = [
            "",
            "After the match",
            "  phones     \(phones.count) of \(Set(phones.map(\.user)).count) users",
            "  pushes     \(accepted): \(important) at priority 10, \(accepted - important) at priority 5",
            "  versions   \(versions) different states shown",
            "  alerts     \(alerts.count) different ones",
        ]
        if let state = phones.first?.activities.last?.state {
            lines.append("  result     \(state.expanded.status ?? LockScreenCard(state: state).summary)")
        }
        let faults = faults
        if faults.isEmpty {
            lines.append("  verdict    every phone: one start, the same final state, one end")
        } else {
            lines += faults.map { "  FAULT      \($0)" }
        }
        return lines
    }
}
