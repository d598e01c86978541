import Activities
import FanOut
import Logging
import ServiceKit
import SightscreenModels

/// The hosts, matches and channels that pushes do not get through to. The log has a line when that begins for one of
/// them, and one when it is over; `/health/ready` is degraded meanwhile.
struct Outages {
    /// Nanoseconds after which a match is stuck; the alert SightscreenFanOutStuck waits as long.
    private static let stuckAfter: Int64 = 20_000_000_000

    private var hosts = Subjects<APNsEnvironment>()
    private var stuck = Subjects<MatchID>()
    private var refused = Subjects<MatchID>()
    private var channels = Subjects<ChannelKey>()

    /// - Parameter now: by `MonotonicTime`.
    mutating func note(_ measure: FanOutMeasure, at now: Int64, _ logger: Logger, _ readiness: Readiness) {
        let troubles = measure.pools.compactMapValues(\.trouble)
        hosts.note(troubles.mapValues { Line($0) }, ends: "APNs takes pushes again", logger)
        for environment in APNsEnvironment.allCases {
            let trouble = troubles[environment].map { "\($0.host): \($0.cause), \($0.reason)" }
            readiness.degrade("apns \(environment.rawValue)", trouble)
        }

        let waits = measure.backlogs.mapValues { $0.stuck(at: now) }.filter { $1 > Self.stuckAfter }
        let refusing = measure.refusedMatches
        stuck.note(
            Dictionary(
                uniqueKeysWithValues: waits.map { match, wait in
                    let details: Logger.Metadata = ["seconds": "\(wait / 1_000_000_000)"]
                    return (match, Line("Phones lack a version, and APNs accepts nothing for them", match, details))
                }), ends: "A match's phones wait no longer", logger)
        refused.note(
            Dictionary(
                uniqueKeysWithValues: refusing.map {
                    ($0, Line("APNs refuses every phone of a match, each by its own token", $0))
                }), ends: "APNs takes pushes to a match's phones again", logger)
        let silent = Set(waits.keys).union(refusing).count
        readiness.degrade("matches", silent == 0 ? nil : "APNs accepts nothing for the phones of \(silent)")

        let throttled = measure.backlogs.values.flatMap(\.channels).filter(\.isThrottled)
        channels.note(
            Dictionary(
                throttled.map { channel in
                    let details: Logger.Metadata = ["channel.per_minute": "\(channel.perMinute)"]
                    return (
                        channel.key,
                        Line("APNs throttles a channel: it rests", about: channel.key.metadata(), details)
                    )
                }, uniquingKeysWith: { $1 }), ends: "APNs takes a channel's publishes again", logger)
        readiness.degrade("channels", throttled.isEmpty ? nil : "APNs throttles \(throttled.count)")
    }
}

/// The line of the log with which an outage begins.
private struct Line {
    var level = Logger.Level.warning
    var begins: Logger.Message
    /// What the line about the end names, too.
    var subject: Logger.Metadata
    var details: Logger.Metadata

    init(_ begins: Logger.Message, about subject: Logger.Metadata, _ details: Logger.Metadata = [:]) {
        self.begins = begins
        self.subject = subject
        self.details = details
    }

    init(_ begins: Logger.Message, _ match: MatchID, _ details: Logger.Metadata = [:]) {
        self.init(begins, about: ["match.id": "\(match)"], details)
    }

    init(_ trouble: HostTrouble) {
        let begins: Logger.Message =
            switch trouble.kind {
            case .stopped: "APNs is in trouble: nothing but a push now and then goes there"
            case .refused: "APNs refuses our key or topic: nothing but a push now and then goes there"
            case .unreachable: "APNs cannot be reached"
            }
        self.init(
            begins, about: ["apns.host": "\(trouble.host)"],
            ["cause": "\(trouble.cause)", "apns.reason": "\(trouble.reason)"])
        if trouble.kind == .refused { level = .error }
    }
}

/// Subjects of one kind that pushes do not get through to, with the lines that have said so.
private struct Subjects<Subject: Hashable> {
    private var known: [Subject: Line] = [:]

    mutating func note(_ now: [Subject: Line], ends: Logger.Message, _ logger: Logger) {
        for (subject, line) in now where known[subject] == nil {
            known[subject] = line
            logger.log(level: line.level, line.begins, metadata: line.subject.merging(line.details) { $1 })
        }
        for (subject, line) in known where now[subject] == nil {
            known[subject] = nil
            logger.notice(ends, metadata: line.subject)
        }
    }
}
