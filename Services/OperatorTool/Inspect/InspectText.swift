import Activities
import SightscreenModels
import Store

/// The findings of `sightscreen inspect`, as lines for a person.
enum InspectText {
    /// The width of names; values begin after it.
    private static let width = 14

    static func row(_ name: String, _ value: String) -> String {
        name + String(repeating: " ", count: max(1, width - name.count)) + value
    }

    /// The time and its age: "2026-11-22T05:08:54Z, 12 s ago"; "-" for nil.
    static func time(_ seconds: Int?, _ now: Int) -> String {
        guard let seconds else { return "-" }
        let text = UTCDay.time(at: seconds) + "Z"
        return seconds > now ? "\(text), in \(span(seconds - now))" : "\(text), \(span(now - seconds)) ago"
    }

    static func span(_ seconds: Int) -> String {
        switch seconds {
        case ..<120: "\(seconds) s"
        case ..<7_200: "\(seconds / 60) min"
        case ..<172_800: "\(seconds / 3_600) h"
        default: "\(seconds / 86_400) d"
        }
    }

    /// The number with separators: "1,234,567".
    static func number(_ value: Int) -> String {
        var text = ""
        for (index, digit) in String(value).reversed().enumerated() {
            if index > 0, index % 3 == 0, digit != "-" { text.append(",") }
            text.append(digit)
        }
        return String(text.reversed())
    }

    // MARK: - A match

    static func lines(of match: MatchInspection) -> [String] {
        let now = match.now
        var lines = [row("match", "\(match.matchId)  \(match.fixture?.title ?? "not in the schedule")")]
        if let fixture = match.fixture {
            lines.append(
                row(
                    "fixture",
                    "\(fixture.status); starts \(time(fixture.startsAt, now)); synced \(ago(fixture.syncedAt, now))"))
            if let missing = fixture.missingSince {
                lines.append(row("", "not listed by the provider since \(time(missing, now))"))
            }
        }
        lines.append(row("phase", phase(match)))
        if let state = match.state {
            lines.append(
                row(
                    "version",
                    "\(state.version), stamp \(state.stamp), \(state.displayState), \(ago(state.updatedAt, now))"))
        } else {
            lines.append(row("version", "none yet: event-bus has committed nothing"))
        }
        let hold = match.hold == .none ? "" : ": lifted by PUT /admin/hold or /admin/matches/\(match.matchId)/hold"
        lines.append(row("hold", "\(match.hold)\(hold)"))
        lines += holders(of: match)
        let expired = match.followersExpired == 0 ? "" : ", \(number(match.followersExpired)) of them expired"
        let phoneless =
            match.followersWithoutPhone == 0 ? "" : ", \(number(match.followersWithoutPhone)) without a phone"
        lines.append(row("followers", number(match.followers) + expired + phoneless))
        lines.append(row("phones", "\(number(match.capableDevices)) that a push can start an activity on"))
        lines += activities(of: match)
        for channel in match.channels { lines.append(row("channel", text(of: channel, now))) }
        for claim in match.alertClaims {
            lines.append(
                row(
                    "alert claims",
                    "version \(claim.version): \(claim.buckets) of \(claim.bucketCount) buckets, "
                        + (claim.channels > 0 ? "\(claim.channels) channel(s), " : "")
                        + "\(ago(claim.claimedAt, now))"))
        }
        return lines + fanOut(of: match) + findings(of: match)
    }

    /// "production, all alerts: open, 812,000 activities, at most 12 a minute; 12 min ago".
    private static func text(of channel: MatchChannel, _ now: Int) -> String {
        var parts = [channel.state, "\(number(channel.activities)) activities"]
        if channel.state == "open" { parts.append("at most \(channel.perMinute) a minute") }
        if let until = channel.restsUntil { parts.append("rests for \(span(until - now))") }
        if channel.ends > 0 { parts.append("\(channel.ends) ends") }
        if let reason = channel.lostReason { parts.append(reason) }
        let generation = channel.generation > 1 ? ", generation \(channel.generation)" : ""
        return "\(channel.environment), \(channel.alerts) alerts\(generation): \(parts.joined(separator: ", ")); "
            + ago(channel.since, now)
    }

    /// The sum of all coordinators for the newest version that one of them has, and a line for each that is behind. A
    /// coordinator that is gone counts in the newest version, but is not reported as behind.
    private static func fanOut(of match: MatchInspection) -> [String] {
        guard let newest = newest(of: match) else { return [] }
        var lines = [row("fan-out", fanOut(newest, match.now))]
        // Each coordinator writes once a second: until then the newest version is not in its row, and it need not be behind.
        let isNew = match.state.map { match.now - $0.updatedAt <= 3 } ?? false
        for behind in match.fanOut where !isNew && behind.version < newest.version && isThere(behind, match) {
            lines.append(row("", "\(behind.coordinator) is behind: \(fanOut(behind, match.now))"))
        }
        return lines + gone(of: match)
    }

    private static func newest(of match: MatchInspection) -> FanOutProgress? {
        guard var newest = match.fanOut.first else { return nil }
        for other in match.fanOut.dropFirst() where other.version == newest.version {
            newest.targeted += other.targeted
            newest.sent += other.sent
            newest.accepted += other.accepted
            newest.superseded += other.superseded
            newest.failed.merge(other.failed) { $0 + $1 }
            newest.firstMs = [newest.firstMs, other.firstMs].compactMap { $0 }.min()
            newest.lastMs = [newest.lastMs, other.lastMs].compactMap { $0 }.max()
            newest.updatedAt = max(newest.updatedAt, other.updatedAt)
        }
        return newest
    }

    /// How long phones have lacked a version, by the coordinator where it is longest.
    private static func behind(of match: MatchInspection) -> [String] {
        let lags = match.fanOut.filter { isThere($0, match) }.compactMap(\.behindMs)
        guard let lag = lags.max(), let newest = newest(of: match) else { return [] }
        let phones = "\(number(max(0, newest.targeted - newest.accepted))) of \(number(newest.targeted)) phones"
        return [row("BEHIND", "for \(span(lag / 1_000)): \(phones) lack version \(newest.version) or one before it")]
    }

    /// "version 118: 1,000,000 targeted, 999,200 accepted, 800 failed (Unregistered 790, TooManyRequests 10), …".
    private static func fanOut(_ progress: FanOutProgress, _ now: Int) -> String {
        let failed = progress.failed.filter { $1 > 0 }.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
        let count = failed.reduce(0) { $0 + $1.value }
        let reasons = failed.map { "\($0.key) \(number($0.value))" }.joined(separator: ", ")
        var parts = [
            "version \(progress.version): \(number(progress.targeted)) targeted", "\(number(progress.sent)) sent",
            "\(number(progress.accepted)) accepted",
            count == 0 ? "none failed" : "\(number(count)) failed (\(reasons))",
        ]
        if progress.superseded > 0 { parts.append("\(number(progress.superseded)) overtaken") }
        if let first = progress.firstMs { parts.append("first \(duration(first))") }
        if let last = progress.lastMs { parts.append("last \(duration(last))") }
        return parts.joined(separator: ", ") + "; \(ago(progress.updatedAt, now))"
    }

    /// The duration: "12 ms", "8.1 s".
    static func duration(_ milliseconds: Int) -> String {
        milliseconds < 1_000 ? "\(milliseconds) ms" : "\(milliseconds / 1_000).\(milliseconds / 100 % 10) s"
    }

    private static func ago(_ seconds: Int, _ now: Int) -> String { "\(span(max(0, now - seconds))) ago" }

    private static func phase(_ match: MatchInspection) -> String {
        let state = match.state
        switch match.phase {
        case .unknown: return "unknown"
        case .upcoming: return "not in play yet"
        case .live: return "live since \(time(state?.wentLiveAt, match.now))"
        case .suspended: return "suspended since \(time(state?.suspendedAt, match.now))"
        case .stumps: return "at stumps: counts as not live"
        case .settled: return "settled \(time(state?.settledAt ?? state?.updatedAt, match.now)); ends after RESULT_HOLD"
        case .ended: return "ended \(time(state?.endedAt, match.now))"
        case .calledOff: return "called off"
        }
    }

    private static func activities(of match: MatchInspection) -> [String] {
        let counts = match.activities.sorted { ($0.status, $0.endReason ?? "") < ($1.status, $1.endReason ?? "") }
        let list = counts.map { "\(number($0.count)) \($0.status)\($0.endReason.map { "/\($0)" } ?? "")" }
        let pushes = match.pushes
        return [
            row("activities", list.isEmpty ? "none" : list.joined(separator: ", ")),
            row(
                "starts",
                "\(number(pushes.startsToSend)) to send, \(number(pushes.startsOut)) out, "
                    + "\(number(pushes.startsLocal)) left to the app, \(number(pushes.startsGivenUp)) given up"),
            row("renewals", "\(number(pushes.renewalsDue)) due or out"),
            row("ends", "\(number(pushes.endsOwed)) owed, \(number(pushes.endsDropped)) undeliverable"),
        ]
    }

    private static func findings(of match: MatchInspection) -> [String] {
        var lines: [String] = []
        let wrong = match.findings.filter { $0.finding.isDiscrepancy }
        lines += match.findings.filter { !$0.finding.isDiscrepancy }
            .map { row("as it is", "\(number($0.count)): \($0.finding.text)") }
        lines += wrong.map { row("MISSING", "\(number($0.count)): \($0.finding.text)") }
        if match.phase.isOn, match.followersWithoutPhone > 0 {
            lines.append(row("MISSING", "\(number(match.followersWithoutPhone)): the follower has registered no phone"))
        }
        if match.withoutFollower > 0 {
            lines.append(
                row(
                    "TOO MANY",
                    "\(number(match.withoutFollower)): nobody follows, or the phone has no record; the next pass ends it"
                ))
        }
        lines += match.keyless.map { row("MISSING", "a key of TOKEN_KEY_FILE: \($0) cannot read each push token") }
        lines += behind(of: match)
        if let counted = match.capsCountedFor {
            lines.append(row("", "caps were counted for \(number(counted)) of the phones that wait"))
        }
        if !lines.contains(where: { line in ["MISSING", "TOO MANY", "BEHIND"].contains { line.hasPrefix($0) } }) {
            lines.append(row("", "nothing is missing"))
        }
        return lines
    }
}
