import SightscreenModels

/// The rows of a cohort and the work on them, whatever a row stands for.
///
/// Rows lie in pages that do not move. Only its loop touches a cohort.
class CohortRows {
    /// The number in the loop's `CohortTable`; it is part of each push's tag.
    let number: Int
    let match: LoopMatch
    let environment: APNsEnvironment
    let shard: Int
    let trust: ShardTrust
    private let pageRows: Int
    /// The number of slots that were ever in use.
    private(set) var slots = 0
    private var pages: [UnsafeMutablePointer<CohortRow>] = []

    var stage = Stage.open
    var work = Work.none
    /// The slot that the sweep has reached.
    var cursor = 0
    // A waiting row is marked `isQueued` and is in one of four places: in `retries` until its turn comes, in
    // `awaitingStamp` until there is a fresh stamp, in `blocked` until there is room for a repetition, or in the loop's
    // `DelayedRows` until a time.
    /// Slots that are handled before the sweep goes on.
    var retries: [Int32] = []
    var inFlight = 0
    /// Slots that wait for a fresh stamp.
    var awaitingStamp: [Int32] = []
    /// Slots that have no room in the retry budget for their repetition: they wait for room or for the next version.
    private(set) var blocked: [Int32] = []
    /// Versions whose alert this process has claimed for the cohort, and versions for which a claim was tried.
    var gained: Set<UInt32> = []
    var tried: Set<UInt32> = []
    /// When the alert levels of rows were set, in seconds since 1970, while an alert from before that may be fresh.
    var levelTimes: [RosterKey: Double] = [:]
    /// Something has changed since the progress of the rows was last computed.
    var needsSettling = true
    /// When APNs last accepted a push, by `MonotonicTime`; 0 for never.
    var acceptedAt: Int64 = 0
    /// The phones that a push to one row reaches.
    var reach = 1
    /// The rows by what they lack.
    private(set) var backlog: CohortBacklog

    enum Stage {
        case open
        /// The shard is to be handed over: only alerts that are already claimed are sent.
        case closing
        /// The shard was handed over or lost: nothing is sent, and the cohort is removed after its last answer.
        case lost
    }
    /// A sweep over all rows.
    enum Sweep {
        /// The sweep sends to phones that are due an alert.
        case alert
        /// The sweep sends to all other phones.
        case state
    }

    enum Work: Equatable {
        case none
        /// The cohort is in the work list of its connection pool.
        case listed(Sweep)
        /// A hold or the lease pauses the cohort; it is tried again with the next tick.
        case paused(Sweep)
        /// An alert has to be claimed for the cohort first; it is among the `unclaimed` of its match.
        case unclaimed

        var sweep: Sweep? {
            switch self {
            case .none, .unclaimed: nil
            case .listed(let sweep), .paused(let sweep): sweep
            }
        }

        var isListed: Bool { if case .listed = self { true } else { false } }
        var isPaused: Bool { if case .paused = self { true } else { false } }
    }

    /// - Parameters:
    ///   - since: the time now, in seconds since 1970.
    ///   - pageRows: the number of rows for which memory is taken at a time.
    init(
        number: Int, match: LoopMatch, environment: APNsEnvironment, shard: Int, trust: ShardTrust, since: Int,
        pageRows: Int
    ) {
        self.number = number
        self.match = match
        self.environment = environment
        self.shard = shard
        self.trust = trust
        self.pageRows = pageRows
        backlog = CohortBacklog(since: since, newest: match.newest)
    }

    deinit { for page in pages { page.deallocate() } }

    /// Returns the row of a slot; the pointer is valid as long as the cohort.
    final func row(_ slot: Int) -> UnsafeMutablePointer<CohortRow> { pages[slot / pageRows] + slot % pageRows }

    /// Adds a slot at the end.
    /// - Returns: the slot, and whether a page was added for it.
    final func addSlot() -> (slot: Int, isOnNewPage: Bool) {
        let isOnNewPage = slots == pages.count * pageRows
        if isOnNewPage {
            let page = UnsafeMutablePointer<CohortRow>.allocate(capacity: pageRows)
            page.initialize(
                repeating: CohortRow(
                    key: RosterKey(user: UserID(""), device: DeviceID(""), generation: 0), tokenAt: 0, flags: [],
                    level: 0), count: pageRows)
            pages.append(page)
        }
        slots += 1
        return (slots - 1, isOnNewPage)
    }

    // MARK: - What rows lack

    final func published(_ version: CohortBacklog.Version) { backlog.published(version) }

    /// Adds a row to those that are counted, or takes it away.
    /// - Parameter step: 1 or -1.
    final func tally(_ row: UnsafeMutablePointer<CohortRow>, _ step: Int) { backlog.count(row.pointee, step) }

    /// Changes a row that is counted.
    final func recount(_ row: UnsafeMutablePointer<CohortRow>, _ change: () -> Void) {
        tally(row, -1)
        change()
        tally(row, 1)
    }

    /// Notes a push that APNs has accepted.
    final func accepted(_ row: UnsafeMutablePointer<CohortRow>, stamp: UInt32) {
        recount(row) { row.pointee.accepted(stamp: stamp) }
    }

    /// Notes whether a row waits because of what APNs said of its own token.
    final func setBackingOff(_ row: UnsafeMutablePointer<CohortRow>, _ isBackingOff: Bool) {
        guard row.pointee.isBackingOff != isBackingOff else { return }
        recount(row) { row.pointee.isBackingOff = isBackingOff }
    }

    // MARK: - Work

    /// Frees the slot of a removed row.
    func release(_ slot: Int) { row(slot).pointee.flags = [] }

    /// Returns the next row without a push in flight: queued rows first, then the others in turn.
    final func nextSlot() -> (slot: Int, wasQueued: Bool)? {
        while let queued = retries.popLast() {
            let slot = Int(queued)
            let row = row(slot)
            row.pointee.flags.remove(.isQueued)
            if row.pointee.flags.contains(.isDraining) {
                if row.pointee.inFlightStamp == 0 { release(slot) }
                continue
            }
            guard row.pointee.inFlightStamp == 0, row.pointee.flags.contains(.isUsed) else { continue }
            return (slot, true)
        }
        let newest = match.stamp
        while cursor < slots {
            let slot = cursor
            cursor += 1
            let row = row(slot)
            guard row.pointee.delivered < newest, row.pointee.inFlightStamp == 0,
                row.pointee.flags.isDisjoint(with: [.isQueued, .isDraining]), row.pointee.flags.contains(.isUsed)
            else { continue }
            return (slot, false)
        }
        return nil
    }

    /// Queues a row, so that it is handled before the sweep goes on.
    final func queue(_ slot: Int) {
        guard !row(slot).pointee.flags.contains(.isQueued) else { return }
        row(slot).pointee.flags.insert(.isQueued)
        retries.append(Int32(slot))
    }

    /// Lets a row wait for a fresh stamp.
    final func awaitStamp(_ slot: Int) {
        // The row of a probe may wait somewhere already.
        guard !row(slot).pointee.flags.contains(.isQueued) else { return }
        row(slot).pointee.flags.insert(.isQueued)
        awaitingStamp.append(Int32(slot))
    }

    /// Queues the rows that waited for a stamp.
    final func resume() {
        retries += awaitingStamp
        awaitingStamp.removeAll(keepingCapacity: true)
    }

    /// Blocks a row until the budget has room for another repetition.
    final func block(_ slot: Int) {
        row(slot).pointee.flags.insert(.isQueued)
        blocked.append(Int32(slot))
    }

    /// Queues up to `most` of the blocked rows.
    final func unblock(_ most: Int) {
        guard most < blocked.count else {
            retries += blocked
            return blocked.removeAll(keepingCapacity: true)
        }
        retries += blocked.prefix(most)
        blocked.removeFirst(most)
    }
}
