import APNsProtocol
package import Activities
import HTTP2
import Reactor
package import SightscreenModels

/// A broadcast channel as a loop takes it in.
package struct ChannelEntry: Sendable, Hashable {
    package var key: ChannelKey
    package var id: ChannelID
    /// The shard whose holder publishes to the channel.
    package var shard: Int
    /// What an earlier holder learnt of the channel's limit: publishes a minute.
    package var perMinute: Int
    /// The end of the rest that an earlier holder began, in seconds since 1970 by the database's clock.
    package var restsUntil: Double
    /// The activities that listen to the channel, as last counted.
    package var listeners: Int

    package init(
        key: ChannelKey, id: ChannelID, shard: Int, perMinute: Int, restsUntil: Double, listeners: Int = 0
    ) {
        self.key = key
        self.id = id
        self.shard = shard
        self.perMinute = perMinute
        self.restsUntil = restsUntil
        self.listeners = listeners
    }
}

/// A broadcast channel: one row, one push for everyone who listens.
final class ChannelCohort: CohortRows, Cohort {
    /// Nanoseconds after which the newest state is repeated: a phone may have missed the last publish, and APNs stores
    /// none.
    static let heartbeat: Int64 = 120_000_000_000

    let entry: ChannelEntry
    /// The activities that listen to the channel, as last counted.
    var listeners: Int
    var pacer: ChannelPacer
    private let path: [UInt8]
    /// When a state was last published, by `MonotonicTime`; 0 for never.
    private var publishedAt: Int64 = 0
    /// The newest alert of the last publish, by the stamp that it was committed with, and when the first of its alerts
    /// ceases to be fresh, in seconds since 1970; nil when it carried none.
    private(set) var carried: (alert: UInt32, freshUntil: Int)?
    /// The stamp of the last state that the pacer held back.
    private var pacedStamp: UInt32 = 0
    private var templates: [APNsPriority: (template: HTTP2HeaderTemplate, serial: Int)] = [:]

    init(
        number: Int, match: LoopMatch, trust: ShardTrust, since: Int, bundleID: String, entry: ChannelEntry,
        pacer: ChannelPacer
    ) {
        self.entry = entry
        listeners = entry.listeners
        self.pacer = pacer
        path = Array(APNsHeaders.broadcastPath(bundleID: bundleID).utf8)
        super.init(
            number: number, match: match, environment: entry.key.environment, shard: entry.shard, trust: trust,
            since: since, pageRows: 1)
        // Every alert is due that is claimed for the channel, whenever its subscribers came.
        row(addSlot().slot).pointee = CohortRow(
            key: RosterKey(user: UserID(""), device: DeviceID(""), generation: 0), tokenAt: 0, flags: [.isUsed],
            level: UInt8(entry.key.audience.rawValue))
        // The channel is ours, so what APNs says of it is not said of somebody else's token.
        row(0).pointee.isProven = true
        tally(row(0), 1)
        acceptedAt = MonotonicTime.now
        countListeners()
    }

    /// Takes what is known of the listeners as the reach of a publish: while a version is on its way it stays the same.
    func countListeners() { reach = max(listeners, 1) }

    var kind: PushKind { .publish }
    var count: Int { 1 }
    var bucket: AlertBucket { AlertBucket(channel: entry.key, shard: shard) }

    /// APNs drops an update whose stamp is past, and does not say so.
    var lateAfter: Int { StampRule.ageMax }

    func allows(_ variant: PushVariant) -> Bool {
        pacer.allows(alert: variant.alert == 0 ? nil : variant.alert, at: MonotonicTime.now)
    }

    /// Notes that the pacer holds a state back.
    /// - Returns: whether it is the first time for this stamp.
    func noteHeldBack(_ stamp: UInt32) -> Bool {
        defer { pacedStamp = stamp }
        return pacedStamp != stamp
    }

    func noteSent(_ variant: PushVariant) {
        carried = match.alerts.freshUntil(variant.selection).map { (variant.alert, $0) }
        publishedAt = MonotonicTime.now
        pacer.published(at: publishedAt)
    }

    /// Notes a 429 to the last publish.
    /// - Returns: the seconds of the rest that it begins; nil within a rest.
    func throttled(retryAfter: Int?, clock: DatabaseClock) -> Int? {
        let now = MonotonicTime.now
        let alert = carried.map {
            ChannelPacer.Alert(
                newest: $0.alert, freshUntil: now + Int64((Double($0.freshUntil) - clock.now) * 1_000_000_000))
        }
        return pacer.throttled(retryAfter: retryAfter, alert: alert, at: now)
    }

    /// Queues the newest state once more if the last publish is as old as a heartbeat.
    /// - Returns: whether it did.
    func beat(at now: Int64) -> Bool {
        guard publishedAt > 0, now - publishedAt >= Self.heartbeat, work == .none, inFlight == 0 else { return false }
        // With nothing known to be shown the state goes at priority 5, with a fresh stamp.
        row(0).pointee.delivered = 0
        row(0).pointee.flags.insert(.repeatsFreely)
        publishedAt = now
        queue(0)
        return true
    }

    func infrequentPhone(_ slot: Int) -> RosterKey? { nil }

    func withPath(_ slot: Int, _ scratch: TokenPath, _ body: (UnsafeBufferPointer<UInt8>) -> Bool) -> Bool {
        path.withUnsafeBufferPointer { body($0) }
    }

    func template(
        _ variant: PushVariant, _ authority: String, _ authorization: ProviderAuthorization
    ) -> HTTP2HeaderTemplate {
        if let known = templates[variant.priority], known.serial == authorization.serial { return known.template }
        let made = authorization.template(
            authority, APNsHeaders.publish(to: entry.id, priority: variant.priority))
        templates[variant.priority] = (made, authorization.serial)
        return made
    }
}
