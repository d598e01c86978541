import APNsProtocol
import SightscreenModels

/// The audience of one match in one shard: the tokens that get the same payload. A broadcast channel would be another kind
/// of cohort, with one request for all.
///
/// Rows lie in pages that do not move, with their tokens beside them. Touched by its loop alone.
final class TokenCohort {
    private static let pageRows = 1_024

    /// Of its loop: part of what a push is remembered by.
    let number: Int
    let match: LoopMatch
    let environment: APNsEnvironment
    /// Also the bucket of alert claims.
    let shard: Int
    let trust: ShardTrust
    /// Slots that were ever in use.
    private(set) var slots = 0
    private var pages: [UnsafeMutablePointer<CohortRow>] = []
    private var tokenPages: [UnsafeMutablePointer<UInt8>] = []
    private var free: [Int32] = []
    private var index = SlotIndex()
    /// Tokens that do not fit in their place.
    private var oddTokens: [Int32: String] = [:]
    /// The phones whose users have switched frequent updates off.
    private(set) var infrequent: [Int32: RosterKey] = [:]

    var stage = Stage.open
    var work = Work.none
    /// Where the look at all rows is.
    var cursor = 0
    // A row that waits is in one of four places, and marked `isQueued`: `again` until its turn comes, `awaitingStamp` until there is
    // a stamp of now, `parked` until there is room for a repetition, or the loop's `DelayedRows` until a time.

    /// Slots to be looked at before the others.
    var again: [Int32] = []
    var inFlight = 0
    /// Slots that wait for a stamp of now.
    var awaitingStamp: [Int32] = []
    /// Slots whose push would be a repetition too many: they wait for room in the budget, or for the next version.
    private(set) var parked: [Int32] = []
    /// Alert versions that were claimed for it, and those for which a claim was tried.
    var gained: Set<UInt32> = []
    var tried: Set<UInt32> = []
    /// Activities that were taken out while a push to them was under way, and how many such pushes.
    private var leaving: [RosterKey: Int] = [:]
    /// Registrations that APNs called dead, until the table says so, too.
    private var dead: [RosterKey: Double] = [:]
    /// Something changed since it was last asked what is settled.
    var needsSettling = true

    enum Stage {
        case open
        /// Its shard is to be another's: nothing is sent but alerts that are claimed.
        case closing
        /// Its shard is another's: nothing is sent, and it is gone when the last answer is in.
        case lost
    }

    /// A look at all rows.
    enum Sweep {
        /// For those who are to be alerted.
        case alert
        /// For all others.
        case state
    }

    enum Work: Equatable {
        case none
        /// It is among the cohorts that its lines go through.
        case listed(Sweep)
        /// The operator or the lease holds it up; looked at again soon.
        case heldUp(Sweep)
        /// An alert is to be claimed for it first; it is among the `unclaimed` of its match.
        case unclaimed

        var sweep: Sweep? {
            switch self {
            case .none, .unclaimed: nil
            case .listed(let sweep), .heldUp(let sweep): sweep
            }
        }

        var isListed: Bool { if case .listed = self { true } else { false } }
        var isHeldUp: Bool { if case .heldUp = self { true } else { false } }
    }

    init(number: Int, match: LoopMatch, environment: APNsEnvironment, shard: Int, trust: ShardTrust) {
        self.number = number
        self.match = match
        self.environment = environment
        self.shard = shard
        self.trust = trust
    }

    deinit {
        for page in pages { page.deallocate() }
        for page in tokenPages { page.deallocate() }
    }

    var count: Int { index.count }

    /// Of these, those to whose token APNs has taken a push.
    private(set) var provenCount = 0

    func prove(_ slot: Int) {
        let row = row(slot)
        guard !row.pointee.isProven, !row.pointee.flags.contains(.isLeaving) else { return }
        row.pointee.isProven = true
        provenCount += 1
    }

    /// Valid as long as the cohort is.
    func row(_ slot: Int) -> UnsafeMutablePointer<CohortRow> {
        pages[slot / Self.pageRows] + slot % Self.pageRows
    }

    func slot(_ key: RosterKey) -> Int? { index.slot(of: key) { row($0).pointee.key } }

    // MARK: - Coming and going

    /// Takes an activity in.
    /// - Parameter told: the last alert that its phone is known to have been told over another activity or another token.
    /// - Returns: its slot; nil when it was there already with this registration.
    func take(_ entry: RosterEntry, told: UInt32 = 0) -> Int? {
        if let tokenAt = dead.removeValue(forKey: entry.key), tokenAt == entry.tokenAt {
            dead[entry.key] = tokenAt
            return nil
        }
        var alertedThrough = told
        var backoff: UInt8 = 0
        if let known = slot(entry.key) {
            let row = row(known)
            row.pointee.level = Self.level(entry.level)
            let tookFew = row.pointee.flags.contains(.isInfrequent)
            setInfrequent(known, entry.infrequent)
            if row.pointee.tokenAt == entry.tokenAt, token(known) == entry.token.rawValue {
                // It may be behind all others.
                if tookFew, entry.infrequent == nil, row.pointee.underWay == 0 { queue(known) }
                return nil
            }
            // A token in place of a bad one that was never taken waits as that one did.
            if !row.pointee.isProven, row.pointee.failure == .badDeviceToken { backoff = row.pointee.backoff }
            // Another token: the old one is never used again; what the phone was told by it, it was told.
            alertedThrough = max(told, remove(entry.key))
        }
        let slot = newSlot()
        var flags: CohortRow.Flags = [.isUsed]
        if entry.isNew { flags.insert(.isNew) }
        var row = CohortRow(
            key: entry.key, tokenAt: entry.tokenAt, delivered: UInt32(clamping: entry.delivered?.rawValue ?? 0),
            alertedThrough: alertedThrough, flags: flags, level: Self.level(entry.level))
        let packed = TokenPath.pack(entry.token.rawValue, into: tokenBytes(slot))
        row.tokenBytes = UInt8(packed)
        row.backoff = backoff
        // By whom it was sent what it shows, and how, is not known.
        row.isShortLived = entry.delivered != nil
        if packed == 0 { oddTokens[Int32(slot)] = entry.token.rawValue }
        self.row(slot).pointee = row
        if entry.delivered != nil { prove(slot) }
        setInfrequent(slot, entry.infrequent)
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

    /// Those with few updates that do not show this stamp are looked at.
    /// - Returns: how many.
    func queueInfrequent(below stamp: UInt32) -> Int {
        var count = 0
        for slot in infrequent.keys {
            let row = row(Int(slot))
            guard row.pointee.delivered < stamp, !row.pointee.flags.contains(.isLeaving) else { continue }
            count += 1
            if row.pointee.underWay == 0 { queue(Int(slot)) }
        }
        return count
    }

    /// Puts a row among those to look at before the others.
    func queue(_ slot: Int) {
        guard !row(slot).pointee.flags.contains(.isQueued) else { return }
        row(slot).pointee.flags.insert(.isQueued)
        again.append(Int32(slot))
    }

    /// Nothing is sent to it any more. With a push under way its slot stays taken until the answer.
    /// - Returns: the last alert that it was told, or that was lost on its way; 0 for none.
    @discardableResult func remove(_ key: RosterKey) -> UInt32 {
        dead[key] = nil
        guard let slot = index.remove(key, keyAt: { self.row($0).pointee.key }) else { return 0 }
        needsSettling = true
        let row = row(slot)
        let told = row.pointee.alertedThrough
        if row.pointee.isProven { provenCount -= 1 }
        if row.pointee.underWay != 0 { leaving[key, default: 0] += 1 }
        if row.pointee.underWay != 0 || row.pointee.flags.contains(.isQueued) {
            row.pointee.flags.insert(.isLeaving)
        } else {
            release(slot)
        }
        return told
    }

    /// APNs called its token dead: it is taken out, and this registration not taken in again.
    func retire(_ slot: Int) {
        let (key, tokenAt) = (row(slot).pointee.key, row(slot).pointee.tokenAt)
        remove(key)
        dead[key] = tokenAt
    }

    /// Those that waited for a stamp are looked at again.
    func goOn() {
        again += awaitingStamp
        awaitingStamp.removeAll(keepingCapacity: true)
    }

    /// There is no room for another repetition.
    func park(_ slot: Int) {
        row(slot).pointee.flags.insert(.isQueued)
        parked.append(Int32(slot))
    }

    /// So many of those for whom there was no room are looked at again.
    func unpark(_ most: Int) {
        guard most < parked.count else {
            again += parked
            return parked.removeAll(keepingCapacity: true)
        }
        again += parked.prefix(most)
        parked.removeFirst(most)
    }

    /// A push to it is under way, though it was taken out.
    func isLeaving(_ key: RosterKey) -> Bool { leaving[key] != nil }

    /// The push that was under way when it was taken out is answered.
    /// - Returns: whether it was the last one.
    func noteLastAnswer(_ key: RosterKey) -> Bool {
        guard let count = leaving[key] else { return false }
        leaving[key] = count > 1 ? count - 1 : nil
        return count == 1
    }

    /// The slot of a row that was taken out may be another's from now on.
    func release(_ slot: Int) {
        row(slot).pointee.flags = []
        oddTokens[Int32(slot)] = nil
        infrequent[Int32(slot)] = nil
        free.append(Int32(slot))
    }

    private func newSlot() -> Int {
        if let slot = free.popLast() { return Int(slot) }
        if slots == pages.count * Self.pageRows {
            let page = UnsafeMutablePointer<CohortRow>.allocate(capacity: Self.pageRows)
            page.initialize(
                repeating: CohortRow(
                    key: RosterKey(user: UserID(""), device: DeviceID(""), generation: 0), tokenAt: 0, flags: [],
                    level: 0), count: Self.pageRows)
            pages.append(page)
            let tokens = UnsafeMutablePointer<UInt8>.allocate(capacity: Self.pageRows * TokenPath.inlineBytes)
            tokens.initialize(repeating: 0, count: Self.pageRows * TokenPath.inlineBytes)
            tokenPages.append(tokens)
        }
        slots += 1
        return slots - 1
    }

    private static func level(_ level: AlertLevel) -> UInt8 {
        UInt8(AlertLevel.allCases.firstIndex(of: level) ?? 0)
    }

    // MARK: - Tokens

    private func tokenBytes(_ slot: Int) -> UnsafeMutablePointer<UInt8> {
        tokenPages[slot / Self.pageRows] + slot % Self.pageRows * TokenPath.inlineBytes
    }

    /// Calls `body` with the path of a push to it.
    func withPath<Result>(
        _ slot: Int, _ scratch: TokenPath, _ body: (UnsafeBufferPointer<UInt8>) -> Result
    ) -> Result {
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

    /// Of all its phones; nil while a token is dead that the table may not know of yet.
    var sum: RosterSum? {
        guard dead.isEmpty else { return nil }
        var sum = RosterSum()
        for slot in 0..<slots {
            let row = row(slot)
            if row.pointee.flags.contains(.isUsed), !row.pointee.flags.contains(.isLeaving) {
                sum.add(tokenAt: row.pointee.tokenAt)
            }
        }
        return sum
    }

    /// How far its phones are; nil when one of them shows nothing that is known. Those that APNs does not take the newest
    /// state for do not count, if they are few: they are named.
    func settled() -> BucketProgress? {
        var (least, slowest) = (UInt32.max, UInt32.max)
        var laggards: [Int] = []
        for slot in 0..<slots {
            let row = row(slot)
            guard row.pointee.flags.contains(.isUsed), !row.pointee.flags.contains(.isLeaving) else { continue }
            // One that APNs has taken nothing for shows nothing, though it was left out of a version (413).
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
