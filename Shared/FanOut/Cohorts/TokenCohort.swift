import APNsProtocol
import Activities
import HTTP2
import SightscreenModels

/// The tokens of one match in one shard and one environment. They lie beside their rows.
final class TokenCohort: CohortRows, Cohort {
    private static let pageRows = 1_024

    private var tokenPages: [UnsafeMutablePointer<UInt8>] = []
    private var free: [Int32] = []
    private var index = SlotIndex()
    /// Tokens that do not fit beside their rows.
    private var oddTokens: [Int32: String] = [:]
    /// The phones whose users have switched frequent updates off.
    private(set) var infrequent: [Int32: RosterKey] = [:]
    /// Activities that were removed while pushes to them were in flight, with the number of those pushes.
    private var draining: [RosterKey: Int] = [:]
    /// Registrations that APNs called dead, by their time, until the table has them as dead, too.
    private var dead: [RosterKey: Double] = [:]

    init(
        number: Int, match: LoopMatch, environment: APNsEnvironment, shard: Int, trust: ShardTrust, since: Int = 0
    ) {
        super.init(
            number: number, match: match, environment: environment, shard: shard, trust: trust, since: since,
            pageRows: Self.pageRows)
    }

    deinit { for page in tokenPages { page.deallocate() } }

    var kind: PushKind { .update }
    var count: Int { index.count }
    var bucket: AlertBucket { AlertBucket(shard: shard) }

    /// The number of activities to whose token APNs has accepted a push.
    private(set) var provenCount = 0

    func prove(_ slot: Int) {
        let row = row(slot)
        guard !row.pointee.isProven, !row.pointee.flags.contains(.isDraining) else { return }
        row.pointee.isProven = true
        provenCount += 1
    }

    func slot(_ key: RosterKey) -> Int? { index.slot(of: key) { row($0).pointee.key } }

    // MARK: - Coming and going

    /// Adds an activity, or updates the one with the same key.
    /// - Parameter lastAlert: the last alert that the phone is known to have been sent over another activity or another
    ///   token.
    /// - Returns: the slot; nil when the cohort had the activity already with this registration, or knows that it is
    ///   dead.
    func add(_ entry: RosterEntry, lastAlert: UInt32 = 0) -> Int? {
        if let tokenAt = dead.removeValue(forKey: entry.key), tokenAt == entry.tokenAt {
            dead[entry.key] = tokenAt
            return nil
        }
        var alertedThrough = lastAlert
        var backoff: UInt8 = 0
        if let known = slot(entry.key) {
            let row = row(known)
            row.pointee.level = Self.level(entry.level)
            levelTimes[entry.key] = entry.levelAt
            let tookFew = row.pointee.flags.contains(.isInfrequent)
            recount(row) { setInfrequent(known, entry.infrequent) }
            if row.pointee.tokenAt == entry.tokenAt, token(known) == entry.token.rawValue {
                // The phone may be behind all others now that it gets every version.
                if tookFew, entry.infrequent == nil, row.pointee.inFlightStamp == 0 { queue(known) }
                return nil
            }
            // A token that replaces a bad one which was never accepted inherits that one's backoff.
            if !row.pointee.isProven, row.pointee.failure == .badDeviceToken || row.pointee.failure == .tokenNotForTopic
            {
                backoff = row.pointee.backoff
            }
            // With another token the old one is never used again; an alert that the phone got with the old one counts.
            alertedThrough = max(lastAlert, remove(entry.key))
        }
        levelTimes[entry.key] = entry.levelAt
        let slot = newSlot()
        var flags: CohortRow.Flags = [.isUsed]
        if entry.isNew { flags.insert(.isNew) }
        var row = CohortRow(
            key: entry.key, tokenAt: entry.tokenAt, delivered: UInt32(clamping: entry.delivered?.rawValue ?? 0),
            alertedThrough: alertedThrough, flags: flags, level: Self.level(entry.level))
        let packed = TokenPath.pack(entry.token.rawValue, into: tokenBytes(slot))
        row.tokenBytes = UInt8(packed)
        row.backoff = backoff
        row.isBackingOff = backoff > 0
        // Another process delivered the state that the phone shows, so how is not known.
        row.isShortLived = entry.delivered != nil
        if packed == 0 { oddTokens[Int32(slot)] = entry.token.rawValue }
        self.row(slot).pointee = row
        if entry.delivered != nil { prove(slot) }
        setInfrequent(slot, entry.infrequent)
        tally(self.row(slot), 1)
        index.insert(slot, entry.key) { self.row($0).pointee.key }
        needsSettling = true
        return slot
    }

    private func setInfrequent(_ slot: Int, _ device: RosterKey?) {
        infrequent[Int32(slot)] = device
        if device == nil {
            row(slot).pointee.flags.remove(.isInfrequent)
        } else {
            row(slot).pointee.flags.insert(.isInfrequent)
        }
    }

    /// Queues the phones with few updates that do not show this stamp.
    /// - Returns: the number of phones that do not show it.
    func queueInfrequent(below stamp: UInt32) -> Int {
        var count = 0
        for slot in infrequent.keys {
            let row = row(Int(slot))
            guard row.pointee.delivered < stamp, !row.pointee.flags.contains(.isDraining) else { continue }
            count += 1
            if row.pointee.inFlightStamp == 0 { queue(Int(slot)) }
        }
        return count
    }

    /// Removes an activity: nothing is sent to it any more. With a push in flight its slot stays taken until the
    /// answer.
    /// - Returns: the last alert that it was sent, delivered or lost on its way; 0 for none.
    @discardableResult func remove(_ key: RosterKey) -> UInt32 {
        dead[key] = nil
        levelTimes[key] = nil
        guard let slot = index.remove(key, keyAt: { self.row($0).pointee.key }) else { return 0 }
        needsSettling = true
        let row = row(slot)
        tally(row, -1)
        let lastAlert = row.pointee.alertedThrough
        if row.pointee.isProven { provenCount -= 1 }
        if row.pointee.inFlightStamp != 0 { draining[key, default: 0] += 1 }
        if row.pointee.inFlightStamp != 0 || row.pointee.flags.contains(.isQueued) {
            row.pointee.flags.insert(.isDraining)
        } else {
            release(slot)
        }
        return lastAlert
    }

    /// Removes an activity whose token APNs called dead, and does not add this registration again.
    func retire(_ slot: Int) {
        let (key, tokenAt) = (row(slot).pointee.key, row(slot).pointee.tokenAt)
        remove(key)
        dead[key] = tokenAt
    }

    /// Whether a push is in flight to a removed activity.
    func isDraining(_ key: RosterKey) -> Bool { draining[key] != nil }

    /// Notes the answer to a push that was in flight when its activity was removed.
    /// - Returns: whether it was the last such push.
    func noteLastAnswer(_ key: RosterKey) -> Bool {
        guard let count = draining[key] else { return false }
        draining[key] = count > 1 ? count - 1 : nil
        return count == 1
    }

    /// Frees the slot of a removed row for another activity.
    override func release(_ slot: Int) {
        super.release(slot)
        oddTokens[Int32(slot)] = nil
        infrequent[Int32(slot)] = nil
        free.append(Int32(slot))
    }

    private func newSlot() -> Int {
        if let slot = free.popLast() { return Int(slot) }
        let (slot, isOnNewPage) = addSlot()
        if isOnNewPage {
            let tokens = UnsafeMutablePointer<UInt8>.allocate(capacity: Self.pageRows * TokenPath.inlineBytes)
            tokens.initialize(repeating: 0, count: Self.pageRows * TokenPath.inlineBytes)
            tokenPages.append(tokens)
        }
        return slot
    }

    private static func level(_ level: AlertLevel) -> UInt8 {
        UInt8(AlertLevel.allCases.firstIndex(of: level) ?? 0)
    }

    // MARK: - Pushes

    var lateAfter: Int { 60 }

    func allows(_ variant: PushVariant) -> Bool { true }

    func noteSent(_ variant: PushVariant) {}

    func infrequentPhone(_ slot: Int) -> RosterKey? { infrequent[Int32(slot)] }

    func template(
        _ variant: PushVariant, _ authority: String, _ authorization: ProviderAuthorization
    ) -> HTTP2HeaderTemplate {
        variant.template(authority, authorization)
    }

    private func tokenBytes(_ slot: Int) -> UnsafeMutablePointer<UInt8> {
        tokenPages[slot / Self.pageRows] + slot % Self.pageRows * TokenPath.inlineBytes
    }

    func withPath(_ slot: Int, _ scratch: TokenPath, _ body: (UnsafeBufferPointer<UInt8>) -> Bool) -> Bool {
        let count = Int(row(slot).pointee.tokenBytes)
        if count > 0 { return body(scratch.of(tokenBytes(slot), count: count)) }
        var path = "/3/device/\(oddTokens[Int32(slot)] ?? "")"
        return path.withUTF8 { body($0) }
    }

    func token(_ slot: Int) -> String {
        if let odd = oddTokens[Int32(slot)] { return odd }
        let bytes = UnsafeBufferPointer(start: tokenBytes(slot), count: Int(row(slot).pointee.tokenBytes))
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }

    // MARK: - Progress

    /// The sum of all the cohort's activities; nil while it has a dead token that the table may not know of yet.
    var sum: RosterSum? {
        guard dead.isEmpty else { return nil }
        var sum = RosterSum()
        for slot in 0..<slots {
            let row = row(slot)
            if row.pointee.flags.contains(.isUsed), !row.pointee.flags.contains(.isDraining) {
                sum.add(tokenAt: row.pointee.tokenAt)
            }
        }
        return sum
    }

    /// Returns how far the cohort's phones are; nil when one of them shows nothing that is known. The few phones whose
    /// pushes of the newest state fail do not count: they are named as laggards.
    func settled() -> BucketProgress? {
        var (least, slowest) = (UInt32.max, UInt32.max)
        var laggards: [Int] = []
        for slot in 0..<slots {
            let row = row(slot)
            guard row.pointee.flags.contains(.isUsed), !row.pointee.flags.contains(.isDraining) else { continue }
            // A phone without any accepted push shows nothing, even if a version was skipped for it (413).
            if row.pointee.backoff > 0 || !row.pointee.isProven && row.pointee.delivered > 0 {
                laggards.append(slot)
                slowest = min(slowest, row.pointee.delivered)
            } else {
                least = min(least, row.pointee.delivered)
            }
        }
        if least == .max || laggards.count > BucketProgress.laggardsMax {
            least = min(least, slowest)
            laggards = []
        }
        guard least > 0, least < .max else { return nil }
        let behind = laggards.filter { row($0).pointee.delivered < least }
        return BucketProgress(
            stamp: Stamp(Int(least)), laggards: Set(behind.map { BucketProgress.mark(of: UpdateToken(token($0))) }))
    }
}
