import Activities
import SightscreenModels
import Store

extension InspectText {
    // MARK: - A user

    static func lines(of user: UserInspection) -> [String] {
        var lines = [row("user", user.userId.rawValue)]
        if let deleted = user.deletedAt { lines.append(row("", "the account was deleted \(time(deleted, user.now))")) }
        lines += user.devices.flatMap { Self.lines(of: $0, user.now) }
        if user.devices.isEmpty { lines.append(row("phones", "none: the app has not registered one")) }
        if user.follows.isEmpty { lines.append(row("follows", "none")) }
        for follow in user.follows {
            let expiry = follow.expiresAt.map { ", expires \(time($0, user.now))" } ?? ""
            let hold = follow.hold == .none ? "" : ", hold: \(follow.hold)"
            lines.append(
                row(
                    "follow",
                    "\(follow.matchId)  \(follow.title ?? "not in the schedule")  \(follow.phase)\(hold), "
                        + "alerts: \(follow.alerts)\(expiry)"))
            if follow.phase.isOn, follow.phones.isEmpty { lines.append(row("MISSING", "no phone is registered")) }
            lines += follow.phones.map { phone in
                let exists = phone.exists.map { "\($0), generation \(phone.generation ?? 0)" } ?? "nothing"
                let mark = phone.finding.isDiscrepancy ? "MISSING" : ""
                return row(
                    mark,
                    "\(phone.deviceId): \(phone.shouldExist ? "should run" : "should not run"), has \(exists): "
                        + phone.finding.text)
            }
        }
        return lines + user.withoutFollow.map { row("TOO MANY", "without a follow: \(line(of: $0, user.now))") }
    }

    // MARK: - A phone

    static func lines(of device: DeviceInspection) -> [String] {
        device.registrations.flatMap { registration in
            [row("user", registration.userId.rawValue)]
                + (registration.device.map { lines(of: $0, device.now) }
                    ?? [row("phone", "\(device.deviceId): no record; it was unregistered, or unseen for 90 days")])
                + (registration.activities.isEmpty
                    ? [row("activities", "none")]
                    : registration.activities.map { row("activity", line(of: $0, device.now)) })
        }
    }

    private static func lines(of device: InspectedDevice, _ now: Int) -> [String] {
        var lines = registration(of: device, now)
        if device.isStartTokenDead { lines.append(row("", "APNs called its push-to-start token dead")) }
        if device.fallbackStep != "none" {
            let shown = device.visiblePushAt.map { "; last notification \(time($0, now))" } ?? ""
            lines.append(
                row(
                    "",
                    "does not answer to starts: step \(device.fallbackStep), \(fallbackPush(of: device)), "
                        + "\(time(device.fallbackAt, now))\(shown)"))
        }
        return lines
    }

    private static func fallbackPush(of device: InspectedDevice) -> String {
        switch device.fallbackPush {
        case "due": "its push waits to leave"
        case "sent": "its push has left"
        case _ where device.fallbackStep == "passive": "nothing more until the app registers"
        case _ where device.deviceToken == nil: "no push without a device token"
        default: "no push"
        }
    }

    private static func registration(of device: InspectedDevice, _ now: Int) -> [String] {
        let versions = [device.osVersion.map { "OS \($0)" }, device.appVersion.map { "app \($0)" }].compactMap(\.self)
        let kind = [device.platform, device.environment.rawValue, "shard \(device.shard)"] + versions
        return [
            row("phone", "\(device.deviceId)  \(kind.joined(separator: ", "))"),
            row("", "registered \(time(device.createdAt, now)); seen \(time(device.lastSeenAt, now))"),
            row("", "push-to-start token \(token(device.startToken, device.startTokenAt, now))"),
            row("", "device token \(token(device.deviceToken, device.deviceTokenAt, now))"),
            row(
                "",
                "Live Activities \(device.isEnabled ? "allowed" : "SWITCHED OFF"), frequent pushes "
                    + (device.hasFrequentPushes ? "allowed" : "switched off")),
            row(
                "",
                "starts: \(device.startsThisHour) of \(device.startsThisHourMax) this hour, \(device.startsThisDay) of "
                    + "\(device.startsThisDayMax) in 24 h, \(device.startsOfUserThisDay) of "
                    + "\(device.startsOfUserThisDayMax) for all phones of the user"
                    + (device.startsThisDay > StartPolicy.grantedByIOS
                        ? "; what iOS grants (\(StartPolicy.grantedByIOS)) is LIKELY SPENT: it drops further ones" : "")
            ),
        ]
    }

    private static func token(_ fingerprint: String?, _ at: Int?, _ now: Int) -> String {
        fingerprint.map { "\($0)…, registered \(time(at, now))" } ?? "none"
    }

    private static func line(of activity: InspectedActivity, _ now: Int) -> String {
        var parts = [
            "\(activity.matchId) on \(activity.deviceId), generation \(activity.generation), "
                + activity.status + (activity.endReason.map { "/\($0)" } ?? "")
        ]
        if activity.startAttempts > 0 {
            parts.append("\(activity.startAttempts) start(s), the last \(time(activity.startSentAt, now))")
        }
        if activity.status == "pending", let lease = activity.startLeaseUntil {
            parts.append("start lease \(lease > now ? "until" : "passed") \(time(lease, now))")
        }
        if let givenUp = activity.startGivenUpAt { parts.append("given up \(time(givenUp, now))") }
        if activity.updateToken != nil {
            parts.append("token \(token(activity.updateToken, activity.tokenAt, now))")
        }
        if let channel = activity.channel { parts.append("on the channel \(channel)") }
        if let due = activity.renewalDueAt {
            parts.append("renewal due \(time(due, now)), \(activity.renewalAttempts) start(s)")
        }
        if let ended = activity.endedAt { parts.append("ended \(time(ended, now))") }
        if activity.endPush != "none" { parts.append("end push \(activity.endPush), tries \(activity.endAttempts)") }
        return parts.joined(separator: "; ")
    }
}
