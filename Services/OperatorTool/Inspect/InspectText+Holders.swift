import Activities
import Store

extension InspectText {
    /// The most coordinators that are listed by name when they are gone; more are only counted.
    private static let goneMax = 5
    /// The holders of a match's leases, with the time that is left of each.
    static func holders(of match: MatchInspection) -> [String] {
        leases(of: match) + polls(of: match) + shards(of: match)
    }

    private static func leases(of match: MatchInspection) -> [String] {
        let wanted = ["orchestrator"] + (match.phase.isOn ? ["match:\(match.matchId)"] : [])
        var lines = match.leases.filter { $0.pollGroup == nil }.map { lease in
            let rest =
                lease.secondsLeft > 0 ? "epoch \(lease.epoch), \(lease.secondsLeft) s left" : "EXPIRED: nobody holds it"
            return row("lease", "\(lease.name): \(lease.holder), \(rest)")
        }
        for name in wanted where !match.leases.contains(where: { $0.name == name }) {
            lines.append(row("lease", "\(name): nobody has ever held it"))
        }
        return lines
    }

    private static func polls(of match: MatchInspection) -> [String] {
        var lines: [String] = []
        for lease in match.leases {
            guard let group = lease.pollGroup else { continue }
            let holder =
                lease.secondsLeft > 0
                ? "\(lease.holder), group \(group), epoch \(lease.epoch), \(lease.secondsLeft) s left"
                : "nobody, group \(group): the lease of \(lease.holder) EXPIRED \(span(-lease.secondsLeft)) ago"
            lines.append(row("polled by", holder))
        }
        if lines.isEmpty { return [row("polled by", "nobody: no score-poller has had a lease within a day")] }
        if lines.count > 1 {
            let league = match.fixture?.leagueId.map { ", which is \($0)" } ?? ""
            lines.append(row("", "POLL_GROUPS says which of these it is, by the match's league\(league)"))
        }
        return lines
    }

    private static func shards(of match: MatchInspection) -> [String] {
        let missing = match.shardsHeld < DeviceRoute.shardCount ? ": the phones of the others get nothing" : ""
        let all = "\(match.shardsHeld) of \(DeviceRoute.shardCount)"
        return [row("shards", "\(all) held by \(match.coordinators) la-coordinator(s)\(missing)")]
            + match.shardHolders.map { row("", "\($0.holder): \($0.shards), \($0.secondsLeft) s left") }
    }

    /// Whether the coordinator that wrote this progress is alive: it then holds a lease.
    static func isThere(_ progress: FanOutProgress, _ match: MatchInspection) -> Bool {
        match.shardHolders.contains { $0.instance == progress.coordinator }
    }

    /// Coordinators that pushed the match and are gone; their progress stays in the table.
    static func gone(of match: MatchInspection) -> [String] {
        let gone = match.fanOut.filter { !isThere($0, match) }
        guard !gone.isEmpty else { return [] }
        let names = gone.prefix(goneMax).map { "\($0.coordinator) \($0.version)" }
        let more = gone.count > goneMax ? ["\(gone.count - goneMax) more"] : []
        return [row("", "gone by now, with their last version: \((names + more).joined(separator: ", "))")]
    }
}
